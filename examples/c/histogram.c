/* A histogram whose bins are spread over all PEs, filled by all PEs at the same time. What it shows: atomic additions
 * to other PEs' memory, and the end of a phase: shmem_barrier_all completes the additions of all PEs.
 *
 * Bin b lives on PE b % n, at index b / n. Every PE throws its share of the samples into the bins.
 *
 *     oshcc histogram.c -o histogram && oshrun -n 4 ./histogram
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

enum { BINS = 64, SAMPLES = 20000 /* of each PE */ };

/* A repeatable pseudo-random number (splitmix64): the i-th sample of a PE. */
static uint64_t sample(uint64_t pe, uint64_t i)
{
    uint64_t x = (pe << 32 | i) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The sum of two samples' bins is more often near the middle, as the height of two dice. */
static int bin_of(uint64_t s)
{
    return (int)((s % BINS + s / BINS % BINS) / 2);
}

int main(void)
{
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    uint64_t *mine = shmem_calloc((BINS + (size_t)n - 1) / (size_t)n, sizeof *mine);
    if (!mine) {
        fprintf(stderr, "histogram: no symmetric memory\n");
        shmem_global_exit(1);
    }

    for (uint64_t i = 0; i < SAMPLES; i++) {
        const int bin = bin_of(sample((uint64_t)me, i));
        shmem_atomic_inc(&mine[bin / n], bin % n);
    }
    shmem_barrier_all(); /* all PEs' increments are complete */

    int failed = 0;
    if (me == 0) {
        uint64_t wanted[BINS] = {0}, total = 0, largest = 0, got[BINS];
        for (int pe = 0; pe < n; pe++)
            for (uint64_t i = 0; i < SAMPLES; i++)
                wanted[bin_of(sample((uint64_t)pe, i))]++;
        for (int bin = 0; bin < BINS; bin++) {
            got[bin] = shmem_g(&mine[bin / n], bin % n);
            failed |= got[bin] != wanted[bin];
            total += got[bin];
            if (got[bin] > largest)
                largest = got[bin];
        }
        for (int bin = 3; bin < BINS; bin += 8) {
            printf("bin %2d %6llu ", bin, (unsigned long long)got[bin]);
            for (uint64_t star = 0; star < got[bin] * 50 / largest; star++)
                putchar('*');
            putchar('\n');
        }
        printf("%s: %llu samples of %d PEs in %d bins\n", failed ? "WRONG" : "ok", (unsigned long long)total, n, BINS);
    }
    shmem_free(mine);
    shmem_finalize();
    return failed;
}
