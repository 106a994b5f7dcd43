/* Random calls, the same on all PEs, until the heap is full and for long after: no two blocks overlap,
 * contents survive what others do to theirs, each block has the same offset on every PE, null comes on all PEs alike,
 * and not while a block fits behind the last one. What was the largest block at first can be had again when all
 * are freed. Some blocks are written by the PE on the left. Argument: the heap's size in KiB.
 * shmem_malloc, shmem_calloc, shmem_align, shmem_realloc, shmem_free, shmem_malloc_with_hints
 * rules: 86 94 95 96 97 99 100 */
#include "random/random.h"

enum { SLOTS = 200, STEPS = 1200 };
static struct {
    unsigned char *p;
    size_t n;
    unsigned k;
} slots[SLOTS];
static unsigned long hash; /* of all offsets */
static uint64_t common;

static void check_apart(int i)
{
    const unsigned char *p = slots[i].p, *end = p + slots[i].n;
    for (int j = 0; j < SLOTS; j++)
        CHECK(j == i || !slots[j].p || end <= slots[j].p || slots[j].p + slots[j].n <= p);
}

/* A new block, by any of the calls. */
static unsigned char *make(size_t n)
{
    const size_t align = (size_t)8 << r_below(&common, 13);
    unsigned char *p;
    switch (r_below(&common, 5)) {
    case 0:
    case 1: return shmem_malloc(n);
    case 2: return shmem_malloc_with_hints(n, (long)r_below(&common, 4));
    case 3:
        p = shmem_calloc(n, 1);
        if (p)
            CHECK_FILL(p, 0, n);
        return p;
    default:
        p = shmem_align(align, n);
        CHECK(((uintptr_t)p & (align - 1)) == 0);
        return p;
    }
}

/* The largest block that can be had. */
static size_t largest(size_t most)
{
    size_t least = 0;
    while (most - least > 4096) {
        const size_t n = least + (most - least) / 2;
        void *p = shmem_malloc(n);
        if (p)
            least = n;
        else
            most = n;
        shmem_free(p);
    }
    return least;
}

/* All blocks hold what was written into them, here and by the left PE; the right PE has the same offsets. */
static void compare(void)
{
    shmem_barrier_all();
    CHECK_EQ(shmem_ulong_g(&hash, t_right()), hash);
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].p)
            CHECK_PATTERN(slots[i].p, slots[i].n, slots[i].k);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    const size_t size = (argc > 1 ? (size_t)atol(argv[1]) : 2048) << 10, usual = size / SLOTS * 8;
    unsigned char *buffer = malloc(size);
    size_t whole, live = 0;
    int nulls = 0;
    t_init();
    common = r_state(r_seed(), 0);
    whole = largest(size);
    CHECK(whole > size / 100 * 98);
    unsigned char *const base = t_malloc(1);
    shmem_free(base);
    for (int step = 0; step < STEPS; step++) {
        const int i = (int)r_below(&common, SLOTS);
        const size_t n = r_size(&common, r_below(&common, 50) ? usual : size / 2) + 1;
        const unsigned way = r_below(&common, 8), by_left = r_below(&common, 2), k = (unsigned)step;
        unsigned char *p = slots[i].p;
        if (p && way < 4) {
            CHECK_PATTERN(p, slots[i].n, slots[i].k);
            shmem_free(p);
            slots[i].p = NULL;
            live -= slots[i].n;
            continue;
        }
        if (p) {
            const size_t kept = n < slots[i].n ? n : slots[i].n;
            p = shmem_realloc(p, n);
            if (p) {
                CHECK_PATTERN(p, kept, slots[i].k);
                live -= slots[i].n;
            }
        } else
            p = make(n);
        hash = hash * 31 + (p ? (unsigned long)(p - base) : 1u);
        nulls += !p;
        CHECK(p || live + n > size / 2);
        if (!p)
            continue;
        live += n;
        slots[i].p = p;
        slots[i].n = n;
        slots[i].k = k;
        check_apart(i);
        t_fill(by_left ? buffer : p, n, k);
        if (by_left) {
            shmem_sync_all();
            shmem_putmem(p, buffer, n, t_right());
            shmem_quiet();
            shmem_sync_all();
        }
        if (step % 300 == 299)
            compare();
    }
    compare();
    CHECK(nulls > 0);
    for (int i = 0; i < SLOTS; i++)
        shmem_free(slots[i].p);
    CHECK_EQ(largest(size), whole);
    free(buffer);
    return t_done();
}
