/* Allocation: alignment of every result, large alignments, same offsets on all PEs, memory of all PEs ready on return,
 * hints, size 0 and free(NULL) do nothing, old names.
 * shmem_malloc, shmem_align, shmem_calloc, shmem_malloc_with_hints, shmem_free, shmalloc, shmemalign, shrealloc, shfree
 * rules: 32 86 87 90 91 92 93 98 99 101 U32 */
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Distance of p from the first block, which must be the same everywhere: PE 0's is compared. */
static long offset;
static char *first;
static void same_everywhere(const void *p)
{
    offset = (const char *)p - first;
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&offset, 0), offset);
    shmem_barrier_all();
}

static int aligned(const void *p, size_t to) { return ((uintptr_t)p & (to - 1)) == 0; }

/* Touches both ends of the block on the right neighbour, at once after allocation. */
static void usable(char *p, size_t n)
{
    shmem_char_p(p, 'a', t_right());
    shmem_char_p(p + n - 1, 'z', t_right());
    shmem_barrier_all();
    CHECK_EQ(p[n - 1], 'z');
    CHECK_EQ(p[0], n == 1 ? 'z' : 'a');
    same_everywhere(p);
}

int main(void)
{
    char *blocks[40];
    int n = 0;
    t_init();
    first = t_malloc(1);
    CHECK(aligned(first, 16));
    for (size_t size = 1; size < 200; size += 13) {
        char *p = t_malloc(size);
        CHECK(aligned(p, 16));
        CHECK(aligned(p, _Alignof(max_align_t)));
        usable(p, size);
        blocks[n++] = p;
    }
    for (size_t align = sizeof(void *); align <= ((size_t)2 << 20); align *= 2) {
        /* The size need not be a multiple of the alignment. */
        char *p = shmem_align(align, align / 2 + 3);
        CHECK(p != NULL);
        if (p) {
            CHECK(aligned(p, align));
            usable(p, align / 2 + 3);
            blocks[n++] = p;
        }
    }
    for (int i = n - 1; i >= 0; i -= 2)
        shmem_free(blocks[i]);
    for (int i = n - 2; i >= 0; i -= 2)
        shmem_free(blocks[i]);

    {
        const long hints[] = {0, SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE,
                              SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE};
        for (int i = 0; i < 4; i++) {
            uint64_t *p = shmem_malloc_with_hints(100, hints[i]);
            CHECK(p != NULL && aligned(p, 16));
            usable((char *)p, 100);
            shmem_uint64_atomic_set(p, 9, t_right());
            shmem_barrier_all();
            CHECK_EQ(shmem_uint64_atomic_fetch(p, t_me), 9);
            shmem_free(p);
            CHECK_PTR(shmem_malloc_with_hints(0, hints[i]), NULL);
        }
    }

    CHECK_PTR(shmem_malloc(0), NULL);
    CHECK_PTR(shmem_calloc(0, 8), NULL);
    CHECK_PTR(shmem_calloc(8, 0), NULL);
    CHECK_PTR(shmem_align(64, 0), NULL);
    CHECK_PTR(shmem_realloc(NULL, 0), NULL);
    shmem_free(NULL);
    /* One PE alone may do these, for they are no synchronisation. */
    if (t_me == 0) {
        CHECK_PTR(shmem_malloc(0), NULL);
        CHECK_PTR(shmem_calloc(0, 0), NULL);
        CHECK_PTR(shmem_align(8, 0), NULL);
        CHECK_PTR(shmem_malloc_with_hints(0, 0), NULL);
        shmem_free(NULL);
    }

    {
        char *a = shmalloc(100), *b = shmemalign(4096, 10);
        CHECK(a != NULL && b != NULL && aligned(b, 4096));
        usable(a, 100);
        usable(b, 10);
        memset(a, 'q', 100);
        a = shrealloc(a, 5000);
        CHECK(a != NULL);
        CHECK_FILL(a, 'q', 100);
        shmem_barrier_all(); /* neighbours write there next */
        usable(a, 5000);
        shfree(b);
        shfree(a);
    }
    shmem_free(first);
    return t_done();
}
