/* The heap (16 MiB by the list) can be had nearly whole, filled with small blocks, emptied in any order, and had whole
 * again: no bookkeeping eats it, no fragment stays. When it is full, null comes on all PEs alike and life goes on.
 * shmem_malloc, shmem_align, shmem_realloc, shmem_free
 * rules: 95 96 99 100 */
#include "check.h"

enum { MIB = 1 << 20, HEAP = 16 * MIB, SMALL = 4096, MOST = HEAP / SMALL + 600 };
static long count;

/* The whole heap but a page or two in one block. */
static void whole(const char *when)
{
    char *p = shmem_malloc(HEAP - 2 * 4096);
    t_what = when;
    CHECK(p != NULL);
    if (p) {
        p[0] = 1;
        p[HEAP - 2 * 4096 - 1] = 2;
        /* Now it is full; the library may round the heap up, but not by megabytes. */
        CHECK_PTR(shmem_malloc(2 * MIB), NULL);
        shmem_free(p);
    }
    t_what = "";
}

int main(void)
{
    static char *blocks[MOST];
    uint64_t random = 88172645463325252u;
    int n = 0;
    t_init();
    whole("at first");
    while (n < MOST && (blocks[n] = shmem_malloc(SMALL)) != NULL) {
        memset(blocks[n], n & 0xff, SMALL);
        n++;
    }
    /* At most 2 % of overhead; all PEs got equally many. */
    CHECK(n >= HEAP / SMALL / 100 * 98);
    CHECK(n < MOST);
    count = n;
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&count, t_right()), n);
    CHECK_PTR(shmem_realloc(blocks[0], 8 * SMALL), NULL);
    CHECK_PTR(shmem_align(4096, 64 * SMALL), NULL);
    CHECK_PTR(shmem_calloc(64, SMALL), NULL);
    for (int i = 0; i < n; i++)
        CHECK_FILL(blocks[i], i & 0xff, SMALL);
    /* free in a shuffled order, the same on all PEs */
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(t_random(&random) % (uint64_t)(i + 1));
        char *t = blocks[i];
        blocks[i] = blocks[j], blocks[j] = t;
    }
    for (int i = 0; i < n; i++)
        shmem_free(blocks[i]);
    whole("after all was freed");

    /* Every second one free: a block of two does not fit, of one it does. */
    for (n = 0; n < MOST && (blocks[n] = shmem_malloc(SMALL)) != NULL; n++)
        ;
    for (int i = 0; i < n; i += 2)
        shmem_free(blocks[i]);
    for (int i = 0; i < n; i += 2) {
        blocks[i] = shmem_malloc(SMALL);
        CHECK(blocks[i] != NULL);
    }
    for (int i = 0; i < n; i++)
        shmem_free(blocks[i]);
    whole("after gaps were closed");

    /* Blocks of 1 byte and of odd sizes leave no fragments either. */
    for (n = 0; n < MOST && (blocks[n] = shmem_malloc((size_t)(n % 97) + 1)) != NULL; n++)
        ;
    CHECK_EQ(n, MOST);
    for (int i = 0; i < n; i++)
        shmem_free(blocks[i]);
    whole("after small ones");
    return t_done();
}
