/* Static variables at the places where moving or translating them can go wrong: first and last bytes of .data and .bss,
 * alignments up to a page, a megabyte of each, values kept over init, pointers between statics still right. The list
 * builds it as PIE and not, with the segment at an odd multiple of 8 (argument `odd`: it must really lie so), with one
 * entry more in the GOT, with the static library, and runs it in each mode of OSHMPI_STATICS.
 * rules: 29 31 35 54 72 73 */
#include "check.h"

#ifndef PAD
#define PAD 0
#endif

extern char __data_start[], _edata[], __bss_start[], _end[];

/* No array of 32 bytes or more in .data: compilers align these to 32, and the segment could not start at 8. */
static long first = 11;
static struct { long a; short b; char c; } small = {12, 13, 14};
static long *pointer = &first;
static double number = 2.5;
static long zero;
static char bytes[3];
static _Alignas(4096) char page[4096];
static char megabyte[1 << 20];

static void word(long *w)
{
    long before = *w;
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(w, t_right()), before);
    shmem_barrier_all();
    shmem_long_p(w, 1000 + t_me, t_right());
    shmem_barrier_all();
    /* The owner reads it by its name: a window at the wrong offset would only agree with itself. */
    CHECK_EQ(*(volatile long *)w, 1000 + t_left());
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch_add(w, 1, t_right()), 1000 + t_me);
    shmem_barrier_all();
    CHECK_EQ(*(volatile long *)w, 1001 + t_left());
    *w = before;
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    t_init();
    if (PAD)
        CHECK(getppid() > 0);
    if (argc > 1 && !strcmp(argv[1], "odd"))
        CHECK_EQ((uintptr_t)__data_start % 16, 8);
    CHECK(__data_start <= (char *)&first && (char *)&first < _edata);
    CHECK((uintptr_t)__bss_start <= (uintptr_t)megabyte);
    CHECK((uintptr_t)megabyte + sizeof megabyte <= (uintptr_t)_end);
    CHECK_EQ(first, 11);
    CHECK_EQ(small.a + small.b + small.c, 12 + 13 + 14);
    CHECK_PTR(pointer, &first);
    CHECK_FEQ(number, 2.5);
    CHECK_FILL(megabyte, 0, sizeof megabyte);
    CHECK_FILL(page, 0, sizeof page);
    CHECK_EQ((uintptr_t)page % 4096, 0);

    /* All modes look alike to what follows; only statics that were moved are mapped by the PEs of the node. */
    const char *by = getenv("OSHMPI_STATICS");
    CHECK_EQ(shmem_addr_accessible(&first, t_right()), 1);
    CHECK_PTR(shmem_ptr(&first, t_me), &first);
    if (t_npes > 1 && shmem_team_n_pes(SHMEM_TEAM_SHARED) == t_npes)
        CHECK_EQ(shmem_ptr(&first, t_right()) != NULL, !by || !strcmp(by, "remap"));

    t_what = "first", word(&first);
    t_what = "small.a", word(&small.a);
    t_what = "zero", word(&zero);
    t_what = "through a pointer", word(pointer);
    t_what = "page", word((long *)(void *)page), word((long *)(void *)(page + 4088));
    t_what = "megabyte", word((long *)(void *)megabyte), word((long *)(void *)(megabyte + sizeof megabyte - 8));

    t_what = "bytes";
    for (int i = 0; i < 3; i++) {
        shmem_char_p(&bytes[i], (char)(i + 1), t_right());
        shmem_barrier_all();
        CHECK_EQ(bytes[i], i + 1);
        CHECK_EQ(i < 2 ? bytes[i + 1] : 0, 0);
        shmem_barrier_all();
    }
    shmem_short_p(&small.b, 99, t_right());
    shmem_double_p(&number, -1.5, t_right());
    shmem_barrier_all();
    CHECK_EQ(small.a, 12);
    CHECK_EQ(small.b, 99);
    CHECK_EQ(small.c, 14);
    CHECK_FEQ(number, -1.5);

    t_what = "whole megabyte";
    t_fill(megabyte, sizeof megabyte, (unsigned)t_me);
    shmem_barrier_all();
    {
        char *copy = malloc(sizeof megabyte);
        shmem_getmem(copy, megabyte, sizeof megabyte, t_right());
        CHECK_PATTERN(copy, sizeof megabyte, (unsigned)t_right());
        shmem_barrier_all();
        shmem_putmem(megabyte, copy, sizeof megabyte, t_right());
        shmem_barrier_all();
        CHECK_PATTERN(megabyte, sizeof megabyte, (unsigned)((t_left() + 1) % t_npes));
        free(copy);
    }
    shmem_barrier_all();
    return t_done();
}
