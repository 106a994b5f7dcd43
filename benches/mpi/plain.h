/* What the programs of two-sided and collective MPI share: start, end, and figures over all ranks. */
#ifndef BENCH_MPI_PLAIN_H
#define BENCH_MPI_PLAIN_H

#include "../common/bench.h"
#include <mpi.h>

struct plain_job {
    struct bench_options options;
    int me, npes;
};

static inline struct plain_job plain_start(int argc, char **argv, const char *variants, long iterations)
{
    struct plain_job j;
    j.options = bench_parse(argc, argv, variants, iterations);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.me);
    MPI_Comm_size(MPI_COMM_WORLD, &j.npes);
    return j;
}

static inline int plain_end(void)
{
    MPI_Finalize();
    return 0;
}

/* Mean, least and largest of the ranks' values, on every rank. */
static inline struct bench_spread plain_spread(const struct plain_job *j, double value)
{
    struct bench_spread s;
    MPI_Allreduce(&value, &s.mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &s.min, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &s.max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    s.mean /= j->npes;
    return s;
}

/* `bytes` of memory, written, on the first address of a page. */
static inline void *plain_buffer(size_t bytes)
{
    void *buffer = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (buffer == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(buffer, 0, bytes);
    return buffer;
}

#endif
