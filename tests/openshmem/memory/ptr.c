/* shmem_ptr: the own memory itself, and a peer's very memory for loads and stores, of heap and statics, first and last
 * byte; what is stored is seen by load, get, put and AMO alike; null for what is not symmetric or no PE.
 * shmem_ptr
 * rules: 31 33 34 73 74 194 249 */
#include "check.h"

enum { N = 4096 };
static long bss[N];
static long data[N] = {3, 1, 4};
static long flag;

static void test(long *sym, const char *name)
{
    long *there, private_word = 0;
    t_what = name;
    CHECK_PTR(shmem_ptr(sym, t_me), sym);
    CHECK_PTR(shmem_ptr(sym + 17, t_me), sym + 17);
    for (int pe = 0; pe < t_npes; pe++) {
        there = shmem_ptr(sym, pe);
        /* All PEs of these tests share a node, so a pointer is what this library promises. */
        CHECK(there != NULL);
        if (!there)
            return;
        CHECK_PTR(shmem_ptr(sym + N - 1, pe), there + N - 1);
        CHECK_PTR(shmem_ptr((char *)sym + 3, pe), (char *)there + 3);
        CHECK_PTR(shmem_ptr(sym, pe), there);
    }
    for (int i = 0; i < N; i++)
        sym[i] = i * 10 + t_me;
    shmem_barrier_all();

    /* loads see what the owner stored */
    there = shmem_ptr(sym, t_right());
    CHECK_EACH(N, there[i], i * 10 + t_right());
    shmem_barrier_all();

    /* stores are seen by the owner, by get, and by an AMO */
    there[0] = 1000 + t_me;
    there[N - 1] = 2000 + t_me;
    shmem_barrier_all();
    CHECK_EQ(sym[0], 1000 + t_left());
    CHECK_EQ(sym[N - 1], 2000 + t_left());
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&sym[0], t_right()), 1000 + t_me);
    CHECK_EQ(shmem_long_atomic_fetch_add(&sym[N - 1], 5, t_right()), 2000 + t_me);
    CHECK_EQ(there[N - 1], 2005 + t_me);

    /* a put is seen through the pointer after quiet; the pointer may be the local side of a call */
    shmem_long_p(&sym[1], 77 + t_me, t_right());
    shmem_quiet();
    CHECK_EQ(there[1], 77 + t_me);
    shmem_long_get(&there[2], &sym[1], 1, t_right());
    CHECK_EQ(there[2], 77 + t_me);
    shmem_barrier_all();
    CHECK_EQ(sym[2], 77 + t_left());
    shmem_long_put(&sym[3], &there[2], 1, t_right());
    shmem_barrier_all();
    CHECK_EQ(sym[3], 77 + t_left());
    shmem_barrier_all();

    /* store, fence, flag by AMO: whoever sees the flag sees the store */
    for (long r = 1; r < 2000; r++) {
        there[4] = r;
        if (r & 1)
            shmem_fence();
        else
            shmem_quiet();
        shmem_long_atomic_set(&flag, r, t_right());
        t_wait(&flag, r);
        CHECK(((volatile long *)sym)[4] >= r);
    }
    shmem_barrier_all();
    flag = 0;
    shmem_barrier_all();

    CHECK_PTR(shmem_ptr(&private_word, t_right()), NULL);
    CHECK_PTR(shmem_ptr(NULL, t_right()), NULL);
    shmem_barrier_all();
}

int main(void)
{
    long *heap;
    t_init();
    CHECK_EQ(data[2], 4);
    heap = t_malloc(N * sizeof *heap);
    test(heap, "heap");
    test(bss, "bss");
    test(data, "data");
    shmem_free(heap);
    return t_done();
}
