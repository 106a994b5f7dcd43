/* Latency of the inclusive prefix sum of ints, a collective of OpenSHMEM 1.6 that has no active-set form. */
#define OSU_FORMS "team"
#include "osu_collective.h"

#if OSU_SPEC < 106
#error "scans came with OpenSHMEM 1.6"
#endif

OSU_COLLECTIVE_PROGRAM("OSU-style OpenSHMEM scan latency", 1, 1, (void)npes,
                       OSU_TEAM(shmem_int_sum_inscan(SHMEM_TEAM_WORLD, dest, source, n)))
