/* barrier_all: nobody leaves before all have come; completes puts, nbi, AMOs and gets of the default context and makes
 * stores visible. sync_all: the same without the completion, so stores and quieted puts count. Thousands of times.
 * shmem_barrier_all, shmem_sync_all, shmem_pcontrol
 * rules: 181 193 194 195 197 263 */
#include "check.h"

enum { ROUNDS = 1500, N = 16 };
static long arrived[2], in[N], cell;

int main(void)
{
    long source[N], fetched, got[N];
    long *peer;
    int heard;
    t_init();
    peer = shmem_ptr(&cell, t_right());
    heard = shmem_ptr(&cell, t_left()) != NULL; /* on one of several nodes the first may be null and the other not */
    for (long r = 1; r <= ROUNDS; r++) {
        /* Everybody counts itself on PE 0 before; after, all must have been counted. */
        shmem_long_atomic_inc(&arrived[0], 0);
        shmem_barrier_all();
        CHECK_EQ(shmem_long_atomic_fetch(&arrived[0], 0), r * t_npes);
        for (int i = 0; i < N; i++)
            source[i] = r + i;
        shmem_long_put_nbi(in, source, N, t_right());
        shmem_long_atomic_fetch_add_nbi(&fetched, &arrived[1], 1, t_right());
        if (peer)
            *peer = r;
        shmem_barrier_all();
        CHECK_EACH(N, in[i], r + i);
        CHECK_EQ(fetched, r - 1);
        if (heard)
            CHECK_EQ(cell, r);
        shmem_long_get_nbi(got, in, N, t_right());
        shmem_barrier_all();
        CHECK_EQ(got[N - 1], r + N - 1);
        /* sync_all */
        if (peer)
            *peer = -r;
        shmem_long_p(&in[0], r * 2, t_right());
        shmem_quiet();
        shmem_sync_all();
        CHECK_EQ(in[0], r * 2);
        if (heard)
            CHECK_EQ(cell, -r);
        shmem_sync_all();
        if (r % 100 == t_me)
            usleep(300); /* now and then somebody comes late */
    }
    for (int level = -2; level < 5; level++)
        shmem_pcontrol(level);
    shmem_pcontrol(1, "extra", 2.5, &in);
    return t_done();
}
