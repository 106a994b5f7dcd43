/*
 * What the plain MPI RMA programs share: one window over MPI_Win_allocate memory, locked for all from start to end,
 * as a library over MPI RMA would have it.
 */
#ifndef BENCH_MPI_RMA_H
#define BENCH_MPI_RMA_H

#include "../common/bench.h"
#include <mpi.h>

#define RMA_ITERATIONS 20000

struct rma_job {
    struct bench_options options;
    int me, ranks;
    MPI_Win window; /* 2 * BENCH_MAX_SIZE bytes on each rank, displacement unit 1 byte */
    char *base;     /* this rank's part: the lower half is remote memory, the upper half a local buffer */
};

static inline struct rma_job rma_start(int argc, char **argv, long iterations)
{
    struct rma_job j;
    j.options = bench_parse(argc, argv, NULL, iterations);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.me);
    MPI_Comm_size(MPI_COMM_WORLD, &j.ranks);
    MPI_Win_allocate(2 * (MPI_Aint)BENCH_MAX_SIZE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &j.base, &j.window);
    memset(j.base, 0, 2 * BENCH_MAX_SIZE);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, j.window);
    MPI_Barrier(MPI_COMM_WORLD);
    return j;
}

static inline void rma_need_two(const struct rma_job *j, const char *program)
{
    if (j->ranks == 2)
        return;
    if (j->me == 0)
        fprintf(stderr, "%s: needs 2 ranks, has %d\n", program, j->ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static inline int rma_end(struct rma_job *j)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(j->window);
    MPI_Win_free(&j->window);
    MPI_Finalize();
    return 0;
}

/* Body of a latency program: rank 0 runs OP for each size on (local, size, j.window, target 1), rank 1 waits. */
#define RMA_LATENCY_PROGRAM(TITLE, OP)                                                    \
    int main(int argc, char **argv)                                                       \
    {                                                                                     \
        struct rma_job j = rma_start(argc, argv, RMA_ITERATIONS);                         \
        rma_need_two(&j, argv[0]);                                                        \
        char *local = j.base + BENCH_MAX_SIZE;                                            \
        if (j.me == 0)                                                                    \
            bench_head_latency(TITLE);                                                    \
        for (size_t size = j.options.min; size <= j.options.max; size *= 2) {             \
            int count = (int)size; /* at most BENCH_MAX_SIZE */                           \
            MPI_Barrier(MPI_COMM_WORLD);                                                  \
            if (j.me == 0) {                                                              \
                double us;                                                                \
                BENCH_TIME(us, bench_counts_for(&j.options, size), OP;                    \
                           MPI_Win_flush(1, j.window), (void)0);                          \
                bench_row_latency(size, us);                                              \
            }                                                                             \
            MPI_Barrier(MPI_COMM_WORLD);                                                  \
        }                                                                                 \
        return rma_end(&j);                                                               \
    }

#endif
