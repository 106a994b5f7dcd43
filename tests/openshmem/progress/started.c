/* A PE that has started collectives and then computes keeps nobody waiting: PE 0 looks at its own memory only, until
 * the others have completed all of them, and tell so by a put. Then PE 0 completes its own.
 * Argument: short, with one round on a node; or long, with several, which go on by the progress thread between nodes.
 * shmemx_{sync,*_broadcast,*_reduce,*_fcollect,*_alltoall,*_inscan}_nb, shmemx_req_wait
 * rules: 46 */
#include "check.h"

#include <shmemx.h>

enum { KINDS = 6, ROUNDS = 4, SHORT = 1, LONG = 100000 };
static long finished, told[ROUNDS];
static volatile long spoiler;

int main(int argc, char **argv)
{
    t_init();
    const size_t n = argc > 1 && !strcmp(argv[1], "long") ? LONG : SHORT;
    long *source = t_malloc(n * t_npes * sizeof *source), *dest[KINDS];
    for (int k = 0; k < KINDS; k++)
        dest[k] = t_malloc(n * t_npes * sizeof *source);
    for (long r = 0; r < ROUNDS; r++) {
        for (size_t i = 0; i < n * t_npes; i++)
            source[i] = (long)i + 7 * t_me + r;
        shmem_barrier_all();
        shmemx_req_t req[KINDS];
        CHECK_EQ(shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, dest[0], source, n, &req[0]), 0);
        CHECK_EQ(shmemx_long_broadcast_nb(SHMEM_TEAM_WORLD, dest[1], source, n, t_npes - 1, &req[1]), 0);
        CHECK_EQ(shmemx_long_fcollect_nb(SHMEM_TEAM_WORLD, dest[2], source, n, &req[2]), 0);
        CHECK_EQ(shmemx_long_alltoall_nb(SHMEM_TEAM_WORLD, dest[3], source, n, &req[3]), 0);
        CHECK_EQ(shmemx_long_sum_inscan_nb(SHMEM_TEAM_WORLD, dest[4], source, n, &req[4]), 0);
        CHECK_EQ(shmemx_sync_nb(SHMEM_TEAM_WORLD, &req[5]), 0);
        if (t_me == 0)
            while (*(volatile long *)&told[r] == 0)
                for (int i = 0; i < 1000; i++)
                    spoiler = spoiler * 7 + i;
        for (int k = 0; k < KINDS; k++)
            shmemx_req_wait(&req[k]);
        for (size_t i = 0; i < n; i++) {
            const long mine = (long)i + r, all = t_npes * mine + 7L * t_npes * (t_npes - 1) / 2;
            CHECK_EQ(dest[0][i], all);
            CHECK_EQ(dest[1][i], mine + 7 * (t_npes - 1));
            CHECK_EQ(dest[4][i], (t_me + 1) * mine + 7L * t_me * (t_me + 1) / 2);
            for (int pe = 0; pe < t_npes; pe++) {
                CHECK_EQ(dest[2][pe * n + i], mine + 7 * pe);
                CHECK_EQ(dest[3][pe * n + i], mine + (long)(t_me * n) + 7 * pe);
            }
        }
        if (t_me != 0 && shmem_long_atomic_fetch_add(&finished, 1, 0) == (r + 1) * (t_npes - 1) - 1) {
            shmem_long_p(&told[r], 1, 0);
            shmem_quiet();
        }
    }
    return t_done();
}
