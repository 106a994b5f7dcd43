/* Latency of an exchange of every other element between all PEs. */
#include "osu_collective.h"

#define STRIDE 2

OSU_COLLECTIVE_PROGRAM("OSU-style OpenSHMEM alltoalls latency", STRIDE *npes, STRIDE *npes,
                       shmem_alltoalls32(dest, source, STRIDE, STRIDE, n, 0, 0, npes, osu_sync),
                       OSU_TEAM(shmem_int_alltoalls(SHMEM_TEAM_WORLD, dest, source, STRIDE, STRIDE, n)))
