/*
 * OpenSHMEM calls to a PE of another node beside the plain MPI calls they come down to, in one program. PE 0 works on
 * the first PE of the second half. All others wait in a barrier of the library. Batches of both take turns, and the
 * figures are medians over the batches.
 *
 * usage: beside_mpi [-m MIN:MAX] [-i ITERATIONS]
 * Columns: operation, bytes, microseconds by OpenSHMEM, by MPI, their ratio.
 */
#include "ours.h"
#include "timed.h"
#include "plain.h"

static void row(const char *name, size_t size, long times, void (*shmem)(size_t), void (*mpi)(size_t))
{
    double a[BATCHES], b[BATCHES];
    batch_us(shmem, size, times / 2 + 2);
    batch_us(mpi, size, times / 2 + 2);
    for (int i = 0; i < BATCHES; i++) {
        if (i % 2 == 0)
            a[i] = batch_us(shmem, size, times);
        b[i] = batch_us(mpi, size, times);
        if (i % 2 != 0)
            a[i] = batch_us(shmem, size, times);
    }
    double x = bench_median(a, BATCHES), y = bench_median(b, BATCHES);
    printf("%-14s %8zu %10.2f %10.2f %7.3f\n", name, size, x, y, x / y);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, 200);
    ours_open(argv[0], LARGEST);
    plain_open(LARGEST);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        printf("%-14s %8s %10s %10s %7s\n", "# operation", "bytes", "OpenSHMEM", "MPI", "ratio");
        for (size_t n = o.min < 8 ? 8 : o.min; n <= o.max; n *= 16) {
            long times = times_of(n, o.iterations);
            row("put", n, times, put, mpi_put);
            shmem_quiet(), MPI_Win_flush(plain_target, window);
            row("put+quiet", n, times, put_quiet, mpi_put_flush);
            row("get", n, times, get, mpi_get);
        }
        row("fetch_add", 8, o.iterations, fetch_add, mpi_fetch_add);
        row("compare_swap", 8, o.iterations, compare_swap, mpi_compare_swap);
        row("add+quiet", 8, o.iterations, add_quiet, mpi_add_flush);
    }
    shmem_barrier_all();
    plain_close();
    shmem_finalize();
    return 0;
}
