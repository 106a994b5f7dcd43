/* Latency of a collect, to which every PE contributes as much; only the PEs know that. */
#include "osu_collective.h"

OSU_COLLECTIVE_PROGRAM("OSU-style OpenSHMEM collect latency", 1, npes,
                       shmem_collect32(dest, source, n, 0, 0, npes, osu_sync),
                       OSU_TEAM(shmem_int_collect(SHMEM_TEAM_WORLD, dest, source, n)))
