/*
 * Latency of a barrier: `all` is shmem_barrier_all, `active` the active-set shmem_barrier over all PEs (what OSU
 * measures). Mean, least and largest of the PEs' mean times.
 */
#include "osu_oshm.h"

#define BARRIER_ITERATIONS 5000

static long barrier_sync[2][SHMEM_BARRIER_SYNC_SIZE];
static long reduce_sync[3][SHMEM_REDUCE_SYNC_SIZE];
static double work[3][SHMEM_REDUCE_MIN_WRKDATA_SIZE];

int main(int argc, char **argv)
{
    static double us, sum, min, max;
    struct osu_job j = osu_start(argc, argv, "all|active", BARRIER_ITERATIONS);
    for (int set = 0; set < 2; set++)
        for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
            barrier_sync[set][i] = SHMEM_SYNC_VALUE;
    for (int set = 0; set < 3; set++)
        for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
            reduce_sync[set][i] = SHMEM_SYNC_VALUE;
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
    TIME_BARRIERS(bench_counts(BENCH_PROBE));
    shmem_double_max_to_all(&max, &us, 1, 0, 0, j.npes, work[2], reduce_sync[2]);
    long iterations = bench_affordable(j.options.iterations, max);
    shmem_barrier_all();
    TIME_BARRIERS(bench_counts_mean(iterations));

    shmem_barrier_all();
    shmem_double_sum_to_all(&sum, &us, 1, 0, 0, j.npes, work[0], reduce_sync[0]);
    shmem_double_min_to_all(&min, &us, 1, 0, 0, j.npes, work[1], reduce_sync[1]);
    shmem_double_max_to_all(&max, &us, 1, 0, 0, j.npes, work[2], reduce_sync[2]);
    if (j.me == 0)
        bench_barrier_table("OSU-style OpenSHMEM barrier latency", sum / j.npes, min, max, iterations);
    return osu_end();
}
