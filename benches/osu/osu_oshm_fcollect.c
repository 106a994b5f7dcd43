/* Latency of a collect of equal parts. */
#include "osu_collective.h"

OSU_COLLECTIVE_PROGRAM("OSU-style OpenSHMEM fcollect latency", 1, npes,
                       shmem_fcollect32(dest, source, n, 0, 0, npes, osu_sync),
                       OSU_TEAM(shmem_int_fcollect(SHMEM_TEAM_WORLD, dest, source, n)))
