/* Rate and latency of MPI's atomic operations on one word, each followed by MPI_Win_flush. Rows as osu_oshm_atomics. */
#include "rma.h"

#define WORDS 512

#define ROW(NAME, OP)                                                                                                 \
    do {                                                                                                              \
        MPI_Barrier(MPI_COMM_WORLD);                                                                                  \
        if (j.me == 0) {                                                                                              \
            double us;                                                                                                \
            BENCH_TIME(us, bench_counts(j.options.iterations),                                                        \
                       MPI_Aint at = (MPI_Aint)(bench_i % WORDS * (long)width); OP;                                   \
                       MPI_Win_flush(1, j.window), (void)0);                                                          \
            bench_row_operation(NAME, us);                                                                            \
        }                                                                                                             \
        MPI_Barrier(MPI_COMM_WORLD);                                                                                  \
    } while (0)

#define ROWS(TYPE, MPITYPE, LABEL)                                                                                    \
    do {                                                                                                              \
        TYPE value = 3, expected = 0, seen = 0;                                                                       \
        size_t width = sizeof(TYPE);                                                                                  \
        ROW("mpi_" #LABEL "_fadd", MPI_Fetch_and_op(&value, &seen, MPITYPE, 1, at, MPI_SUM, j.window));               \
        ROW("mpi_" #LABEL "_add", MPI_Accumulate(&value, 1, MPITYPE, 1, at, 1, MPITYPE, MPI_SUM, j.window));          \
        ROW("mpi_" #LABEL "_swap", MPI_Fetch_and_op(&value, &seen, MPITYPE, 1, at, MPI_REPLACE, j.window));           \
        ROW("mpi_" #LABEL "_fetch", MPI_Fetch_and_op(NULL, &seen, MPITYPE, 1, at, MPI_NO_OP, j.window));              \
        ROW("mpi_" #LABEL "_set", MPI_Accumulate(&value, 1, MPITYPE, 1, at, 1, MPITYPE, MPI_REPLACE, j.window));      \
        ROW("mpi_" #LABEL "_cswap", MPI_Compare_and_swap(&value, &expected, &seen, MPITYPE, 1, at, j.window));        \
    } while (0)

int main(int argc, char **argv)
{
    struct rma_job j = rma_start(argc, argv, RMA_ITERATIONS);
    rma_need_two(&j, argv[0]);
    if (j.me == 0)
        bench_head_operation("MPI RMA atomic operation rate");
    ROWS(long long, MPI_LONG_LONG, longlong);
    ROWS(int, MPI_INT, int);
    return rma_end(&j);
}
