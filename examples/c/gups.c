/* Random updates of a table that is spread over all PEs: giga-updates per second, as in the HPC Challenge. What it
 * shows: the cost of a single small atomic access to anywhere.
 *
 * Every update is an exclusive-or, so making the same updates twice restores the table. The program checks that.
 *
 *     oshcc -O2 gups.c -o gups && oshrun -n 4 ./gups [UPDATES OF EACH PE]
 */
#define _POSIX_C_SOURCE 200809L
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORDS = 1 << 16 /* of each PE; a power of two */ };

static long wrong, all_wrong;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One pass over the same sequence of updates. */
static void updates(uint64_t *table, long count, int me, int n)
{
    uint64_t random = 0x9e3779b97f4a7c15u * (uint64_t)(me + 1);
    for (long i = 0; i < count; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const uint64_t word = random % ((uint64_t)n * WORDS);
        shmem_atomic_xor(&table[word % WORDS], random, (int)(word / WORDS));
    }
    shmem_barrier_all(); /* all PEs' updates are complete */
}

int main(int argc, char **argv)
{
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    const long count = argc > 1 ? atol(argv[1]) : 200000;
    if (count < 1) {
        fprintf(stderr, "usage: gups [UPDATES OF EACH PE]\n");
        shmem_global_exit(2);
    }
    uint64_t *table = shmem_malloc(WORDS * sizeof *table);
    if (!table) {
        fprintf(stderr, "gups: no symmetric memory\n");
        shmem_global_exit(1);
    }
    for (uint64_t i = 0; i < WORDS; i++)
        table[i] = (uint64_t)me * WORDS + i;
    shmem_barrier_all();

    const double begin = now();
    updates(table, count, me, n);
    const double seconds = now() - begin;

    long changed = 0;
    for (uint64_t i = 0; i < WORDS; i++)
        changed += table[i] != (uint64_t)me * WORDS + i;
    shmem_barrier_all();
    updates(table, count, me, n);
    for (uint64_t i = 0; i < WORDS; i++)
        wrong += table[i] != (uint64_t)me * WORDS + i;
    wrong += changed == 0; /* a pass that did nothing would pass the check */

    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_wrong, &wrong, 1);
    if (me == 0)
        printf("%s: %ld updates of %d PEs in %.3f s, %.4f GUPS, %ld words wrong after the second pass\n",
               all_wrong ? "WRONG" : "ok", n * count, n, seconds, 1e-9 * (double)count * n / seconds, all_wrong);
    shmem_free(table);
    shmem_finalize();
    return all_wrong != 0;
}
