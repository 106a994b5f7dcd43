/* calloc zeroes reused memory and refuses overflow; realloc keeps the content when it grows, shrinks, moves, and leaves
 * the block alone when it fails; failures are null on every PE.
 * shmem_calloc, shmem_realloc, shmem_malloc
 * rules: 94 95 96 97 */
#include "check.h"

/* Everybody has the same verdict on p. */
static long is_null;
static void alike(const void *p)
{
    is_null = p == NULL;
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&is_null, t_right()), is_null);
    shmem_barrier_all();
}

int main(void)
{
    unsigned char *p, *wall, *q;
    t_init();

    /* calloc on dirty memory, of different shapes */
    for (size_t n = 1; n < 200000; n = n * 3 + 1) {
        p = t_malloc(n);
        memset(p, 0xff, n);
        shmem_free(p);
        q = shmem_calloc(n, 1);
        CHECK(q != NULL);
        CHECK_FILL(q, 0, n);
        memset(q, 0xee, n);
        shmem_free(q);
        q = shmem_calloc(1 + n / 8, 8);
        CHECK(q != NULL);
        CHECK_FILL(q, 0, n / 8 * 8);
        shmem_free(q);
    }
    alike(p = shmem_calloc(SIZE_MAX / 2 + 2, 2));
    CHECK_PTR(p, NULL);
    alike(p = shmem_calloc(2, SIZE_MAX / 2 + 2));
    CHECK_PTR(p, NULL);
    alike(p = shmem_calloc((size_t)1 << 33, (size_t)1 << 33));
    CHECK_PTR(p, NULL);
    alike(p = shmem_calloc(SIZE_MAX, SIZE_MAX));
    CHECK_PTR(p, NULL);

    /* sizes near the top of the address space */
    alike(p = shmem_malloc(SIZE_MAX));
    CHECK_PTR(p, NULL);
    alike(p = shmem_malloc(SIZE_MAX - 15));
    CHECK_PTR(p, NULL);
    alike(p = shmem_align(4096, SIZE_MAX - 4095));
    CHECK_PTR(p, NULL);
    alike(p = shmem_malloc_with_hints(SIZE_MAX - 64, SHMEM_MALLOC_SIGNAL_REMOTE));
    CHECK_PTR(p, NULL);

    /* realloc: grow in place or by moving; a wall behind makes it move */
    p = shmem_realloc(NULL, 1000);
    CHECK(p != NULL);
    wall = t_malloc(64);
    t_fill(p, 1000, (unsigned)t_me);
    shmem_barrier_all();
    for (size_t n = 1000; n < 300000; n = n * 2 + 7) {
        size_t more = n * 2 + 7;
        p = shmem_realloc(p, more);
        CHECK(p != NULL);
        CHECK_PATTERN(p, n, (unsigned)t_me);
        t_fill(p, more, (unsigned)t_me);
        /* The new part is symmetric memory too. */
        shmem_barrier_all();
        CHECK_EQ(shmem_uchar_g(p + more - 1, t_right()), t_byte(more - 1, (unsigned)t_right()));
        shmem_barrier_all();
    }
    for (size_t n = 100000; n > 0; n /= 3) {
        p = shmem_realloc(p, n);
        CHECK(p != NULL);
        CHECK_PATTERN(p, n, (unsigned)t_me);
    }
    /* same size, and one byte more */
    p = shmem_realloc(p, 100);
    t_fill(p, 100, 3);
    p = shmem_realloc(p, 100);
    CHECK_PATTERN(p, 100, 3);
    p = shmem_realloc(p, 101);
    CHECK_PATTERN(p, 100, 3);

    /* failure: null everywhere, the old block as it was, still allocated */
    alike(q = shmem_realloc(p, (size_t)1 << 50));
    CHECK_PTR(q, NULL);
    CHECK_PATTERN(p, 100, 3);
    alike(q = shmem_realloc(p, SIZE_MAX - 7));
    CHECK_PTR(q, NULL);
    CHECK_PATTERN(p, 100, 3);
    q = t_malloc(100);
    CHECK(q + 100 <= p || p + 101 <= q);
    shmem_free(q);

    /* size 0 frees */
    CHECK_PTR(shmem_realloc(p, 0), NULL);
    shmem_free(wall);

    /* an aligned block can be grown; a hinted one too */
    p = shmem_align(4096, 100);
    t_fill(p, 100, 8);
    p = shmem_realloc(p, 9000);
    CHECK_PATTERN(p, 100, 8);
    shmem_free(p);
    p = shmem_malloc_with_hints(100, SHMEM_MALLOC_ATOMICS_REMOTE);
    t_fill(p, 100, 9);
    p = shmem_realloc(p, 9000);
    CHECK_PATTERN(p, 100, 9);
    shmem_free(p);
    return t_done();
}
