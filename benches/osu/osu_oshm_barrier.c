/* Latency of shmem_barrier_all: mean, least and largest of the PEs' mean times. */
#include "osu_oshm.h"

#define BARRIER_ITERATIONS 5000

int main(int argc, char **argv)
{
    double us;
    struct osu_job j = osu_start(argc, argv, NULL, BARRIER_ITERATIONS);
    shmem_barrier_all();
    BENCH_TIME(us, bench_counts_mean(BENCH_PROBE), shmem_barrier_all(), (void)0);
    long iterations = bench_affordable(j.options.iterations, osu_spread(&j, us).max, BENCH_BARRIER_US);
    shmem_barrier_all();
    BENCH_TIME(us, bench_counts_mean(iterations), shmem_barrier_all(), (void)0);

    struct bench_spread all_pes = osu_spread(&j, us);
    if (j.me == 0)
        bench_barrier_table("OSU-style OpenSHMEM barrier latency", all_pes, iterations);
    return osu_end();
}
