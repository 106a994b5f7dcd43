/* collect where some members bring nothing, from no source at all: null goes with 0 elements. Also when all do.
 * shmem_collect shmem_collect64
 * rules: 50 187 */
#include "check.h"

enum { MOST = 700 };
static long dest[64 * MOST], source[MOST], psync[SHMEM_COLLECT_SYNC_SIZE];

/* With 0 elements everywhere nothing has to be alike but the call: not the places, nor the strides. */
static void nowhere(void)
{
    long *to = dest + t_me, *from = source + 2 * t_me;
    CHECK_EQ(shmem_long_collect(SHMEM_TEAM_WORLD, to, from, 0), 0);
    CHECK_EQ(shmem_long_fcollect(SHMEM_TEAM_WORLD, to, from, 0), 0);
    CHECK_EQ(shmem_long_alltoall(SHMEM_TEAM_WORLD, to, from, 0), 0);
    CHECK_EQ(shmem_long_alltoalls(SHMEM_TEAM_WORLD, to, from, 1 + t_me, 2 + t_me, 0), 0);
    CHECK_EQ(shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, 0, 0), 0);
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, 0), 0);
    CHECK_EQ(shmem_long_sum_inscan(SHMEM_TEAM_WORLD, to, from, 0), 0);
}

int main(void)
{
    t_init();
    nowhere();
    for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++)
        psync[i] = SHMEM_SYNC_VALUE;
    for (long i = 0; i < MOST; i++)
        source[i] = t_me * MOST + i;
    /* Few elements go through eager buffers, many are written into the dests. */
    for (int n = 1; n <= MOST; n += MOST - 1)
        for (int odd = 0; odd < 3; odd++) {
            const int mine = odd == 2 ? 0 : t_me % 2 == odd ? n : 0;
            long at = 0;
            memset(dest, -1, sizeof dest);
            shmem_barrier_all();
            CHECK_EQ(shmem_long_collect(SHMEM_TEAM_WORLD, dest, mine ? source : NULL, (size_t)mine), 0);
            for (int pe = 0; pe < t_npes && odd < 2; pe++)
                for (long i = 0; pe % 2 == odd && i < n; i++)
                    CHECK_EQ(dest[at++], pe * MOST + i);
            CHECK_EQ(dest[at], -1);
            shmem_barrier_all();
            /* All, and all but the first. */
            for (int first = 0; first < (t_npes > 2 ? 2 : 1); first++) {
                memset(dest, -1, sizeof dest);
                shmem_barrier_all();
                if (t_me >= first)
                    shmem_collect64(dest, mine ? source : NULL, (size_t)mine, first, 0, t_npes - first, psync);
                at = 0;
                for (int pe = first; pe < t_npes && odd < 2 && t_me >= first; pe++)
                    for (long i = 0; pe % 2 == odd && i < n; i++)
                        CHECK_EQ(dest[at++], pe * MOST + i);
                CHECK_EQ(dest[at], -1);
                shmem_barrier_all();
            }
        }
    return t_done();
}
