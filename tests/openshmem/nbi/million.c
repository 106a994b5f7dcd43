/* A million nonblocking puts, then gets, then fetching AMOs, before one quiet each: no list may overflow.
 * shmem_long_put_nbi, shmem_long_get_nbi, shmem_long_atomic_fetch_add_nbi
 * rules: 150 148 160 247 */
#include "check.h"

enum { N = 1000000 };
static long counter;

int main(void)
{
    long *box, *mine, right;
    t_init();
    right = t_right();
    box = t_malloc(N * sizeof *box);
    mine = malloc(N * sizeof *mine);
    for (long i = 0; i < N; i++)
        mine[i] = i * 3 + t_me;
    for (long i = 0; i < N; i++)
        shmem_long_put_nbi(&box[i], &mine[i], 1, (int)right);
    shmem_quiet();
    memset(mine, 0, N * sizeof *mine);
    shmem_barrier_all();
    CHECK_EACH(N, box[i], i * 3 + t_left());
    for (long i = 0; i < N; i++)
        shmem_long_get_nbi(&mine[i], &box[i], 1, (int)right);
    shmem_quiet();
    CHECK_EACH(N, mine[i], i * 3 + t_me);
    /* Only I add on my right neighbour: the values fetched are 0, 1, 2, ... in some order. */
    for (long i = 0; i < N; i++)
        shmem_long_atomic_fetch_add_nbi(&mine[i], &counter, 1, (int)right);
    shmem_quiet();
    {
        char *seen = calloc(N, 1);
        long twice = 0;
        for (long i = 0; i < N; i++)
            if (mine[i] < 0 || mine[i] >= N || seen[mine[i]]++)
                twice++;
        CHECK_EQ(twice, 0);
        free(seen);
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(&counter, t_me), N);
    free(mine);
    shmem_free(box);
    return t_done();
}
