/*
 * Latency of the MPI collectives that come closest to OpenSHMEM's, named after those. Timed as there: a barrier
 * before each call, not in its time. MPI_Allgatherv is told everybody's length, which shmem_collect has to find out.
 */
#include "plain.h"

#define COLLECTIVE_ITERATIONS 10000
/* shmem_alltoalls sends every STRIDE-th element. */
#define STRIDE 2

static int *source, *dest, *counts, *places;
static MPI_Datatype strided;

/* One call, of n ints per rank. */
static void broadcast(int n) { MPI_Bcast(dest, n, MPI_INT, 0, MPI_COMM_WORLD); }
static void collect(int n) { MPI_Allgatherv(source, n, MPI_INT, dest, counts, places, MPI_INT, MPI_COMM_WORLD); }
static void fcollect(int n) { MPI_Allgather(source, n, MPI_INT, dest, n, MPI_INT, MPI_COMM_WORLD); }
static void reduce(int n) { MPI_Allreduce(source, dest, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(int n) { MPI_Alltoall(source, n, MPI_INT, dest, n, MPI_INT, MPI_COMM_WORLD); }
static void alltoalls(int n) { MPI_Alltoall(source, n, strided, dest, n, strided, MPI_COMM_WORLD); }
static void scan(int n) { MPI_Scan(source, dest, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }

static const struct {
    const char *word;
    void (*call)(int n);
} calls[] = {{"broadcast", broadcast}, {"collect", collect},     {"fcollect", fcollect}, {"reduce", reduce},
             {"alltoall", alltoall},   {"alltoalls", alltoalls}, {"scan", scan}};

int main(int argc, char **argv)
{
    struct plain_job j =
        plain_start(argc, argv, "broadcast|collect|fcollect|reduce|alltoall|alltoalls|scan", COLLECTIVE_ITERATIONS);
    void (*call)(int) = NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].word, j.options.variant) == 0)
            call = calls[i].call;
    size_t bytes = STRIDE * (size_t)j.npes * j.options.max;
    source = plain_buffer(bytes);
    dest = plain_buffer(bytes);
    counts = plain_buffer((size_t)j.npes * sizeof *counts);
    places = plain_buffer((size_t)j.npes * sizeof *places);
    MPI_Type_create_resized(MPI_INT, 0, STRIDE * (MPI_Aint)sizeof(int), &strided);
    MPI_Type_commit(&strided);

    if (j.me == 0)
        bench_head_spread("MPI collective latency");
    for (size_t size = bench_first(&j.options, BENCH_STEP_MIN); size <= j.options.max; size *= BENCH_STEP) {
        double us;
        int n = (int)(size / sizeof(int));
        for (int rank = 0; rank < j.npes; rank++) {
            counts[rank] = n;
            places[rank] = rank * n;
        }
        BENCH_TIME(us, bench_counts_mean(BENCH_PROBE), MPI_Barrier(MPI_COMM_WORLD); call(n), (void)0);
        long iterations = bench_affordable(j.options.iterations, plain_spread(&j, us).max, BENCH_SIZE_US);
        BENCH_TIME(us, bench_counts_shared(iterations, j.npes), BENCH_UNTIMED(MPI_Barrier(MPI_COMM_WORLD)); call(n),
                   (void)0);
        struct bench_spread all = plain_spread(&j, us);
        if (j.me == 0)
            bench_row_spread(size, all, iterations);
    }
    MPI_Type_free(&strided);
    return plain_end();
}
