/*
 * The plain MPI calls that those of alone_shmem come down to, in a program without OpenSHMEM: no thread beside it, and
 * the other ranks wait in MPI_Barrier.
 *
 * usage: alone_mpi [-m MIN:MAX] [-i ITERATIONS]
 * Columns: operation, bytes, microseconds (median of batches).
 */
#include "timed.h"
#include "plain.h"

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, 200);
    int rank;
    MPI_Init(&argc, &argv);
    plain_open(LARGEST);
    MPI_Comm_rank(plain_comm, &rank);
    if (rank == 0) {
        for (size_t n = o.min < 8 ? 8 : o.min; n <= o.max; n *= 16) {
            long times = times_of(n, o.iterations);
            row_alone("put+quiet", n, times, mpi_put_flush);
            row_alone("get", n, times, mpi_get);
        }
        row_alone("fetch_add", 8, o.iterations, mpi_fetch_add);
        row_alone("compare_swap", 8, o.iterations, mpi_compare_swap);
        row_alone("add+quiet", 8, o.iterations, mpi_add_flush);
    }
    MPI_Barrier(plain_comm);
    plain_close();
    MPI_Finalize();
    return 0;
}
