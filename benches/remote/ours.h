/* Calls of OpenSHMEM on memory of the first PE of the second half, which is on the second of two hosts. */
#ifndef FAR_OURS_H
#define FAR_OURS_H

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *ours, *ours_local;
static int ours_target;

static inline long *ours_word(void) { return (long *)(void *)ours; }

static void put(size_t n) { shmem_putmem(ours, ours_local, n, ours_target); }
static void put_quiet(size_t n) { put(n), shmem_quiet(); }
static void get(size_t n) { shmem_getmem(ours_local, ours, n, ours_target); }
static void fetch_add(size_t n) { (void)n, (void)shmem_long_atomic_fetch_add(ours_word(), 1, ours_target); }
static void compare_swap(size_t n) { (void)n, (void)shmem_long_atomic_compare_swap(ours_word(), 0, 1, ours_target); }
static void add_quiet(size_t n) { (void)n, shmem_long_atomic_add(ours_word(), 1, ours_target), shmem_quiet(); }

/* The memory is zeros. */
static void ours_open(const char *program, size_t largest)
{
    shmem_init();
    if (shmem_n_pes() % 2 != 0) {
        fprintf(stderr, "%s: needs an even number of PEs, has %d\n", program, shmem_n_pes());
        shmem_global_exit(2);
    }
    ours_target = shmem_n_pes() / 2;
    ours = shmem_align(4096, largest);
    ours_local = malloc(largest);
    if (ours == NULL || ours_local == NULL)
        shmem_global_exit(3);
    memset(ours, 0, largest), memset(ours_local, 0, largest);
}

#endif
