/* Calls without a meaning that other libraries let pass: small alignments are rounded up; other alignments that are not
 * powers of two, a block that is freed already, and alignments above the largest give a null pointer and one line.
 * Arguments: align or realloc, the call that is made with SHMEM_DEBUG.
 * shmem_align, shmem_realloc
 * rules: 93 U31 U32 */
#include "check.h"

static void alignments(void)
{
    static const size_t odd[] = {24, 0, 3, 48, SIZE_MAX};
    for (size_t align = 1; align <= 8; align *= 2) {
        char *p = shmem_align(align, 100);
        CHECK(p != NULL && (uintptr_t)p % sizeof(void *) == 0);
        memset(p, 7, 100);
        shmem_free(p);
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        CHECK_PTR(shmem_align(odd[i], 100), NULL);
}

/* Both lines are printed: that of the alignment does not stand for a full heap. */
static void large(void)
{
    CHECK_PTR(shmem_align((size_t)1 << 31, 64), NULL);
    CHECK_PTR(shmem_align((size_t)1 << 40, 64), NULL);
    CHECK_PTR(shmem_malloc(SIZE_MAX / 2), NULL);
}

static void freed(void)
{
    char *kept = t_malloc(64), *block = t_malloc(5000);
    shmem_free(block);
    CHECK_PTR(shmem_realloc(block, 200), NULL);
    CHECK_PTR(shmem_realloc(block, 20000), NULL);
    CHECK(shmem_realloc(kept, 200) != NULL);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    t_init();
    if (strcmp(only, "realloc") != 0)
        alignments();
    if (!*only)
        large();
    if (strcmp(only, "align") != 0)
        freed();
    /* the heap is whole, and the same on all PEs */
    long *word = t_malloc(sizeof *word);
    *word = -1;
    shmem_barrier_all();
    shmem_long_p(word, t_me, (t_me + 1) % t_npes);
    shmem_barrier_all();
    CHECK_EQ(*word, (t_me + t_npes - 1) % t_npes);
    return t_done();
}
