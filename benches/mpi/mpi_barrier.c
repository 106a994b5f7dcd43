/* Latency of MPI_Barrier: mean, least and largest of the ranks' mean times. */
#include "plain.h"

#define BARRIER_ITERATIONS 5000

int main(int argc, char **argv)
{
    struct plain_job j = plain_start(argc, argv, NULL, BARRIER_ITERATIONS);
    double us;
    BENCH_TIME(us, bench_counts_mean(BENCH_PROBE), MPI_Barrier(MPI_COMM_WORLD), (void)0);
    long iterations = bench_affordable(j.options.iterations, plain_spread(&j, us).max, BENCH_BARRIER_US);
    BENCH_TIME(us, bench_counts_mean(iterations), MPI_Barrier(MPI_COMM_WORLD), (void)0);
    struct bench_spread all = plain_spread(&j, us);
    if (j.me == 0)
        bench_barrier_table("MPI barrier latency", all, iterations);
    return plain_end();
}
