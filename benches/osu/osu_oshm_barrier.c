/*
 * Latency of a barrier: `all` is shmem_barrier_all, `active` the active-set shmem_barrier over all PEs (what OSU
 * measures). Mean, least and largest of the PEs' mean times.
 */
#include "osu_oshm.h"

#define BARRIER_ITERATIONS 5000

static long barrier_sync[2][SHMEM_BARRIER_SYNC_SIZE];

int main(int argc, char **argv)
{
    double us;
    struct osu_job j = osu_start(argc, argv, "all|active", BARRIER_ITERATIONS);
    for (int set = 0; set < 2; set++)
        for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
            barrier_sync[set][i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();

    /* Two sync arrays in turn: a PE may enter the next barrier while another leaves this one. */
    int all = strcmp(j.options.variant, "all") == 0;
#define TIME_BARRIERS(COUNTS)                                                                        \
    do {                                                                                             \
        if (all)                                                                                     \
            BENCH_TIME(us, COUNTS, shmem_barrier_all(), (void)0);                                    \
        else                                                                                         \
            BENCH_TIME(us, COUNTS, shmem_barrier(0, 0, j.npes, barrier_sync[bench_i % 2]), (void)0); \
    } while (0)
    TIME_BARRIERS(bench_counts_mean(BENCH_PROBE));
    long iterations = bench_affordable(j.options.iterations, osu_spread(&j, us).max, BENCH_BARRIER_US);
    shmem_barrier_all();
    TIME_BARRIERS(bench_counts_mean(iterations));

    struct bench_spread all_pes = osu_spread(&j, us);
    if (j.me == 0)
        bench_barrier_table("OSU-style OpenSHMEM barrier latency", all_pes, iterations);
    return osu_end();
}
