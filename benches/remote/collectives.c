/*
 * Collectives of OpenSHMEM beside those of MPI, of all PEs, in one program: batches of both take turns, so both have
 * the same machine and the same load. The figures are medians over the batches of PE 0.
 *
 * usage: collectives [-i ITERATIONS]
 * Columns: operation, bytes of a block, microseconds by OpenSHMEM, by MPI, their ratio.
 */
#include "../common/bench.h"
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 21, LARGE = 1 << 20 };

static int me, npes;
static char *source, *dest;
static MPI_Comm all;

/* `i` counts the calls of a batch: roots take turns, or a root would run ahead of the others. */
typedef void call_fn(size_t bytes, int i);

static void our_barrier(size_t bytes, int i) { (void)bytes, (void)i, shmem_barrier_all(); }
static void mpi_barrier(size_t bytes, int i) { (void)bytes, (void)i, MPI_Barrier(all); }
static void our_reduce(size_t bytes, int i)
{
    long *to = (long *)(void *)dest, *from = (long *)(void *)source;
    (void)i, shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, bytes / sizeof(long));
}
static void mpi_reduce(size_t bytes, int i)
{
    (void)i, MPI_Allreduce(source, dest, (int)(bytes / sizeof(long)), MPI_LONG, MPI_SUM, all);
}
static void our_broadcast(size_t bytes, int i) { shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, dest, bytes, i % npes); }
static void mpi_broadcast(size_t bytes, int i) { MPI_Bcast(dest, (int)bytes, MPI_BYTE, i % npes, all); }
static void our_fcollect(size_t bytes, int i) { (void)i, shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes); }
static void mpi_fcollect(size_t bytes, int i)
{
    (void)i, MPI_Allgather(source, (int)bytes, MPI_BYTE, dest, (int)bytes, MPI_BYTE, all);
}
static void our_alltoall(size_t bytes, int i) { (void)i, shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, bytes); }
static void mpi_alltoall(size_t bytes, int i)
{
    (void)i, MPI_Alltoall(source, (int)bytes, MPI_BYTE, dest, (int)bytes, MPI_BYTE, all);
}

static double batch_us(call_fn *call, size_t bytes, int times)
{
    MPI_Barrier(all);
    double begin = bench_now_us();
    for (int i = 0; i < times; i++)
        call(bytes, i);
    return (bench_now_us() - begin) / times;
}

static void row(const char *name, size_t bytes, int times, call_fn *shmem, call_fn *mpi)
{
    double ours[BATCHES], theirs[BATCHES];
    times = bytes >= LARGE ? times / 20 + 1 : bytes > 8 << 10 ? times / 4 + 1 : times;
    batch_us(shmem, bytes, times / 2 + 1);
    batch_us(mpi, bytes, times / 2 + 1);
    for (int i = 0; i < BATCHES; i++) {
        if (i % 2 == 0)
            ours[i] = batch_us(shmem, bytes, times);
        theirs[i] = batch_us(mpi, bytes, times);
        if (i % 2 != 0)
            ours[i] = batch_us(shmem, bytes, times);
    }
    double x = bench_median(ours, BATCHES), y = bench_median(theirs, BATCHES);
    if (me == 0)
        printf("%-14s %8zu %10.2f %10.2f %7.3f\n", name, bytes, x, y, x / y), fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, 200);
    shmem_init();
    me = shmem_my_pe(), npes = shmem_n_pes();
    source = shmem_calloc((size_t)LARGE, 1), dest = shmem_calloc((size_t)LARGE, 1);
    if (source == NULL || dest == NULL || npes > 64)
        shmem_global_exit(3);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    int times = (int)o.iterations;
    row("barrier", 0, times, our_barrier, mpi_barrier);
    row("reduce", 8, times, our_reduce, mpi_reduce);
    row("reduce", 1 << 10, times, our_reduce, mpi_reduce);
    row("reduce", LARGE, times, our_reduce, mpi_reduce);
    row("broadcast", 8, times, our_broadcast, mpi_broadcast);
    row("broadcast", 64 << 10, times, our_broadcast, mpi_broadcast);
    row("fcollect", 8, times, our_fcollect, mpi_fcollect);
    row("fcollect", 8 << 10, times, our_fcollect, mpi_fcollect);
    row("alltoall", 8, times, our_alltoall, mpi_alltoall);
    row("alltoall", 8 << 10, times, our_alltoall, mpi_alltoall);
    MPI_Comm_free(&all);
    shmem_finalize();
    return 0;
}
