/* A put is seen by a get after a quiet, again and again at one place, by p and put, heap and static; source may be
 * overwritten as soon as put returns.
 * shmem_long_p, shmem_long_put, shmem_long_g, shmem_long_get, shmem_quiet
 * rules: 138 139 141 247 252 */
#include "check.h"

enum { ROUNDS = 2000, N = 100 };
static long box[N];

static void test(long *remote, int pe)
{
    long source[N], back[N];
    for (long r = 1; r <= ROUNDS; r++) {
        long at = r % N;
        shmem_long_p(&remote[at], r, pe);
        shmem_quiet();
        CHECK_EQ(shmem_long_g(&remote[at], pe), r);
    }
    for (long r = 1; r <= ROUNDS / 20; r++) {
        for (int i = 0; i < N; i++)
            source[i] = r * 1000 + i;
        shmem_long_put(remote, source, N, pe);
        /* Blocking put has taken a copy, or delivered. */
        memset(source, 0, sizeof source);
        shmem_quiet();
        shmem_quiet();
        shmem_long_get(back, remote, N, pe);
        for (int i = 0; i < N; i++)
            CHECK_EQ(back[i], r * 1000 + i);
    }
}

int main(void)
{
    long *heap;
    t_init();
    heap = t_malloc(sizeof box);
    /* Each PE has its right neighbour's boxes for itself. */
    test(heap, t_right());
    test(box, t_right());
    shmem_barrier_all();
    test(heap, t_me);
    test(box, t_me);
    shmem_free(heap);
    return t_done();
}
