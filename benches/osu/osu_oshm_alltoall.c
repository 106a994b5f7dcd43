/* Latency of an exchange of blocks of the message's size between all PEs. */
#include "osu_collective.h"

OSU_COLLECTIVE_PROGRAM("OSU-style OpenSHMEM alltoall latency", npes, npes,
                       shmem_alltoall32(dest, source, n, 0, 0, npes, osu_sync),
                       OSU_TEAM(shmem_int_alltoall(SHMEM_TEAM_WORLD, dest, source, n)))
