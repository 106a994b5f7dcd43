/* Latency of a broadcast from PE 0. In the active-set form the root's own dest stays as it is. */
#include "osu_collective.h"

OSU_COLLECTIVE_PROGRAM("OSU-style OpenSHMEM broadcast latency", 1, 1,
                       shmem_broadcast32(dest, source, n, 0, 0, 0, npes, osu_sync),
                       OSU_TEAM(shmem_int_broadcast(SHMEM_TEAM_WORLD, dest, source, n, 0)))
