/* Latency of MPI_Barrier: mean, least and largest of the ranks' mean times. */
#include "rma.h"

#define BARRIER_ITERATIONS 5000

int main(int argc, char **argv)
{
    struct rma_job j = rma_start(argc, argv, BARRIER_ITERATIONS);
    double us, sum, min, max;
    BENCH_TIME(us, bench_counts(BENCH_PROBE), MPI_Barrier(MPI_COMM_WORLD), (void)0);
    MPI_Allreduce(&us, &max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    long iterations = bench_affordable(j.options.iterations, max);
    BENCH_TIME(us, bench_counts_mean(iterations), MPI_Barrier(MPI_COMM_WORLD), (void)0);
    MPI_Reduce(&us, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&us, &min, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&us, &max, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (j.me == 0)
        bench_barrier_table("MPI barrier latency", sum / j.ranks, min, max, iterations);
    return rma_end(&j);
}
