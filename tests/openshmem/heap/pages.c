/* Memory holds what was written, whatever pages the heap is in (OSHMPI_PAGES, OSHMPI_PREFAULT): blocks that begin and
 * end inside huge pages, pages that a peer writes first, blocks that were resized, freed and had again, and static
 * variables, which lie behind a heap of 15 MiB (by the list).
 * shmem_malloc, shmem_calloc, shmem_align, shmem_realloc, shmem_free
 * rules: 86 91 93 99 */
#include "check.h"

enum { PAGE = 4096, HUGE = 2 << 20, BLOCK = 2 * HUGE + 3 * PAGE + 40, SMALL = 3 * PAGE, LAST = HUGE / 2 - 2 * PAGE };
static unsigned char source[BLOCK];
static unsigned char variables[HUGE / 2];

/* What PE `pe` writes into the byte at `i`. */
static unsigned char of(int pe, size_t i)
{
    return (unsigned char)(i / PAGE * 7 + i + (size_t)pe * 31 + 1);
}

/* The `len` bytes at `at` were written by the PE to the left. */
static void check_left(const unsigned char *at, size_t len)
{
    CHECK_EACH(len, at[i], of(t_left(), (size_t)i));
}

/* The peer writes before this PE does, so its write makes the pages. */
static void by_peer(const char *what, unsigned char *block, size_t len)
{
    t_what = what;
    CHECK(block != NULL);
    if (!block)
        return;
    shmem_putmem(block, source, len, t_right());
    shmem_barrier_all();
    check_left(block, len);
    shmem_barrier_all();
    t_what = "";
}

int main(void)
{
    unsigned char *small, *large, *zeroed, *aligned;
    t_init();
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = of(t_me, i);
    by_peer("small", small = shmem_malloc(SMALL), SMALL);
    by_peer("large", large = shmem_malloc(BLOCK), BLOCK);
    zeroed = shmem_calloc(1, HUGE + PAGE);
    CHECK(zeroed != NULL);
    if (zeroed)
        CHECK_FILL(zeroed, 0, HUGE + PAGE);
    shmem_barrier_all(); /* the peer writes there next */
    by_peer("zeroed", zeroed, HUGE + PAGE);
    by_peer("aligned", aligned = shmem_align(HUGE, HUGE + 1), HUGE + 1);
    CHECK_EQ((uintptr_t)aligned % HUGE, 0);
    by_peer("statics", variables, sizeof variables);
    /* What the neighbours in the same huge pages hold has not changed. */
    check_left(small, SMALL);
    check_left(large, BLOCK);
    check_left(zeroed, HUGE + PAGE);

    large = shmem_realloc(large, HUGE + PAGE);
    check_left(large, HUGE + PAGE);
    shmem_free(aligned);
    large = shmem_realloc(large, BLOCK);
    check_left(large, HUGE + PAGE);
    shmem_free(large);
    shmem_free(zeroed);
    by_peer("again", large = shmem_malloc(BLOCK), BLOCK);
    shmem_free(large);
    /* The last bytes of the heap, but for a page or two, belong to a huge page that the heap does not fill. */
    large = shmem_align(HUGE, 6 * HUGE + LAST);
    CHECK(large != NULL);
    if (large) {
        shmem_putmem(large + 6 * HUGE, source, LAST, t_right());
        shmem_barrier_all();
        check_left(large + 6 * HUGE, LAST);
        shmem_free(large);
    }
    check_left(variables, sizeof variables);
    check_left(small, SMALL);
    shmem_free(small);
    return t_done();
}
