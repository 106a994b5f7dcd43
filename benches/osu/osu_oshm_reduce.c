/* Latency of the sum of ints, with its result on every PE. */
#define OSU_WORK(J)                                                                                       \
    int *work = osu_heap(&J, (J.options.max / 8 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE) * sizeof(int));
#include "osu_collective.h"

OSU_COLLECTIVE_PROGRAM("OSU-style OpenSHMEM reduce latency", 1, 1,
                       shmem_int_sum_to_all(dest, source, (int)n, 0, 0, npes, work, osu_sync),
                       OSU_TEAM(shmem_int_sum_reduce(SHMEM_TEAM_WORLD, dest, source, n)))
