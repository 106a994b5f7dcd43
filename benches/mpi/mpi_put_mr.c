/* Message rate of MPI_Put: lower half of the ranks to upper half, through a window of slots, one flush at the end. */
#include "rma.h"

int main(int argc, char **argv)
{
    struct rma_job j = rma_start(argc, argv, RMA_ITERATIONS);
    int pairs = j.ranks / 2, peer = j.me + pairs;
    char *local = j.base + BENCH_MAX_SIZE;
    size_t most = BENCH_MAX_SIZE / BENCH_WINDOW;
    if (j.ranks < 2 || j.ranks % 2 != 0 || j.options.min > most)
        bench_usage(argv[0], "(an even number of ranks)");
    if (j.me == 0)
        bench_head_rate("MPI RMA put message rate");
    for (size_t size = j.options.min; size <= j.options.max && size <= most; size *= 2) {
        double rate = 0.0, all;
        MPI_Barrier(MPI_COMM_WORLD);
        if (j.me < pairs) {
            double us;
            int count = (int)size; /* at most BENCH_MAX_SIZE / BENCH_WINDOW */
            BENCH_TIME(us, bench_counts_window(&j.options, size),
                       size_t slot = (size_t)(bench_i % BENCH_WINDOW) * size;
                       MPI_Put(local + slot, count, MPI_BYTE, peer, (MPI_Aint)slot, count, MPI_BYTE, j.window),
                       MPI_Win_flush(peer, j.window));
            rate = 1e6 / us;
        }
        MPI_Reduce(&rate, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (j.me == 0)
            bench_row_rate(size, all);
    }
    return rma_end(&j);
}
