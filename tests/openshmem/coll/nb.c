/* Collectives that are started, beyond what random/collectives does: a start waits for nobody, more collectives of a
 * team can be started than may be under way, and the root of broadcasts may be far ahead of the others.
 * shmemx_{sum_reduce,*_broadcast,barrier_all,sync}_nb, shmemx_req_{test,wait}
 */
#include "check.h"

#include <shmemx.h>

enum { STARTS = 96, AHEAD = 32, UNDER_WAY = 16 };

int main(void)
{
    static long source, sum, flag, from[AHEAD], to[AHEAD];
    shmemx_req_t reqs[STARTS];
    t_init();
    /* PE 0 starts, and only then lets the others start. */
    source = t_me;
    if (t_me > 0)
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    CHECK_EQ(shmemx_sum_reduce_nb(SHMEM_TEAM_WORLD, &sum, &source, 1, &reqs[0]), 0); /* the generic macro */
    for (int pe = 1; t_me == 0 && pe < t_npes; pe++)
        shmem_long_p(&flag, 1, pe);
    shmemx_req_wait(&reqs[0]);
    CHECK_EQ(sum, t_npes * (t_npes - 1) / 2);

    /* In a small team on a node, PE 0 starts twice as many broadcasts as can be under way before the others start. */
    const int near = t_npes < 16 && shmem_team_n_pes(SHMEM_TEAM_SHARED) == t_npes;
    if (near && t_me > 0)
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 2);
    for (int k = 0; near && k < AHEAD; k++) {
        from[k] = 1000 * k + t_me;
        CHECK_EQ(shmemx_long_broadcast_nb(SHMEM_TEAM_WORLD, &to[k], &from[k], 1, 0, &reqs[k]), 0);
        if (k < AHEAD - UNDER_WAY)
            shmemx_req_wait(&reqs[k]);
    }
    for (int pe = 1; near && t_me == 0 && pe < t_npes; pe++)
        shmem_long_p(&flag, 2, pe);
    for (int k = 0; near && k < AHEAD; k++) {
        if (k >= AHEAD - UNDER_WAY)
            shmemx_req_wait(&reqs[k]);
        CHECK_EQ(to[k], 1000 * k);
    }

    for (int k = 0; k < STARTS; k++)
        CHECK_EQ(k % 2 ? shmemx_barrier_all_nb(&reqs[k]) : shmemx_sync_nb(SHMEM_TEAM_WORLD, &reqs[k]), 0);
    for (int k = 0; k < STARTS; k++) {
        if (k % 3)
            shmemx_req_wait(&reqs[k]);
        else
            while (shmemx_req_test(&reqs[k]) != 0)
                ;
        CHECK(reqs[k] == SHMEMX_REQ_INVALID);
    }
    return t_done();
}
