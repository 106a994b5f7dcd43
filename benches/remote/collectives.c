/*
 * Collectives of all PEs, of OpenSHMEM, of MPI (with -DPLAIN, in a program without OpenSHMEM), or of both beside each
 * other (with -DBESIDE), where batches of both take turns, so both have the same machine and the same load. With
 * -DTHREADED it is plain MPI with what OpenSHMEM's one-sided calls need: MPI_THREAD_MULTIPLE, and a thread that gives
 * MPI the processor twice in a millisecond. The figures are medians over the batches of PE 0.
 *
 * usage: collectives [-m MIN:MAX] [-i ITERATIONS]
 * Columns: operation, bytes of a block, microseconds. Of both: by OpenSHMEM, by MPI, their ratio.
 */
#include "timed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef THREADED
#define PLAIN 1
#include <pthread.h>
#include <stdatomic.h>
#endif
#ifndef PLAIN
#define HAS_SHMEM 1
#endif
#if defined PLAIN || defined BESIDE
#define HAS_MPI 1
#endif

enum { BATCHES = 21, LARGE = 1 << 20 };

static int me, npes;
static char *source, *dest;

/* Roots take turns, or a root would run ahead of the others. */

#ifdef HAS_SHMEM
#include <shmem.h>
static void our_barrier(size_t bytes, int i) { (void)bytes, (void)i, shmem_barrier_all(); }
static void our_reduce(size_t bytes, int i)
{
    long *to = (long *)(void *)dest, *from = (long *)(void *)source;
    (void)i, shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, bytes / sizeof(long));
}
static void our_broadcast(size_t bytes, int i) { shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, dest, bytes, i % npes); }
static void our_fcollect(size_t bytes, int i) { (void)i, shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes); }
static void our_alltoall(size_t bytes, int i) { (void)i, shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, bytes); }
#define OURS(call) our_##call
#else
#define OURS(call) NULL
#endif

#ifdef HAS_MPI
#include <mpi.h>
static MPI_Comm all;
static void mpi_barrier(size_t bytes, int i) { (void)bytes, (void)i, MPI_Barrier(all); }
static void mpi_reduce(size_t bytes, int i)
{
    (void)i, MPI_Allreduce(source, dest, (int)(bytes / sizeof(long)), MPI_LONG, MPI_SUM, all);
}
static void mpi_broadcast(size_t bytes, int i) { MPI_Bcast(dest, (int)bytes, MPI_BYTE, i % npes, all); }
static void mpi_fcollect(size_t bytes, int i)
{
    (void)i, MPI_Allgather(source, (int)bytes, MPI_BYTE, dest, (int)bytes, MPI_BYTE, all);
}
static void mpi_alltoall(size_t bytes, int i)
{
    (void)i, MPI_Alltoall(source, (int)bytes, MPI_BYTE, dest, (int)bytes, MPI_BYTE, all);
}
#define MPIS(call) mpi_##call

#ifdef PLAIN
/* Leaves without MPI_Finalize, which MPICH 4.0 does not always get through between hosts. What the processes have
 * printed has a tenth of a second to reach the launcher. */
static void leave_mpi(void)
{
    struct timespec tenth = {0, 100000000};
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    nanosleep(&tenth, NULL);
    MPI_Abort(MPI_COMM_WORLD, 0);
}
#ifdef THREADED
static MPI_Comm unused;
static pthread_t helper;
static atomic_bool stop;
static void *help(void *nothing)
{
    struct timespec half = {0, 500000};
    while (!stop) {
        int flag;
        nanosleep(&half, NULL);
        MPI_Iprobe(MPI_ANY_SOURCE, 0, unused, &flag, MPI_STATUS_IGNORE);
    }
    return nothing;
}
static void begin_mpi(int *argc, char ***argv)
{
    int level;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &unused);
    if (level != MPI_THREAD_MULTIPLE || pthread_create(&helper, NULL, help, NULL) != 0)
        fprintf(stderr, "no thread\n"), exit(3);
}
static void end_mpi(void)
{
    stop = 1, pthread_join(helper, NULL);
    MPI_Comm_free(&unused);
    leave_mpi();
}
#else
static void begin_mpi(int *argc, char ***argv) { MPI_Init(argc, argv); }
static void end_mpi(void) { leave_mpi(); }
#endif
#endif
#else
#define MPIS(call) NULL
#endif

/* The memory is zeros. */
static int begin(int *argc, char ***argv)
{
#ifdef HAS_SHMEM
    shmem_init();
    me = shmem_my_pe(), npes = shmem_n_pes();
    source = shmem_calloc(LARGE, 1), dest = shmem_calloc(LARGE, 1);
#else
    begin_mpi(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_Comm_size(MPI_COMM_WORLD, &npes);
    source = calloc(LARGE, 1), dest = calloc(LARGE, 1);
#endif
#ifdef HAS_MPI
    int is_up;
    if (MPI_Initialized(&is_up), !is_up) /* a job on one node needs no MPI of its own */
        MPI_Init(argc, argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
#endif
    (void)argc, (void)argv;
    return source != NULL && dest != NULL && npes <= 64;
}

static void end(void)
{
#ifdef HAS_MPI
    MPI_Comm_free(&all);
#endif
#ifdef HAS_SHMEM
    shmem_finalize();
#else
    end_mpi();
#endif
}

static void ready(void)
{
#ifdef HAS_SHMEM
    our_barrier(0, 0);
#else
    mpi_barrier(0, 0);
#endif
}

static struct bench_options options;

static void row(const char *name, size_t bytes, call_fn *shmem, call_fn *mpi)
{
    int times = (int)options.iterations;
    if (bytes != 0 && (bytes < options.min || bytes > options.max))
        return;
    times = bytes >= LARGE ? times / 20 + 1 : bytes > 8 << 10 ? times / 4 + 1 : times;
    row_of(name, bytes, times, BATCHES, shmem, mpi, ready, me);
}

int main(int argc, char **argv)
{
    options = bench_parse(argc, argv, NULL, 200);
    if (!begin(&argc, &argv)) {
        fprintf(stderr, "%s: no memory, or more than 64 PEs\n", argv[0]);
        exit(3);
    }
    row("barrier", 0, OURS(barrier), MPIS(barrier));
    row("reduce", 8, OURS(reduce), MPIS(reduce));
    row("reduce", 1 << 10, OURS(reduce), MPIS(reduce));
    row("reduce", LARGE, OURS(reduce), MPIS(reduce));
    row("broadcast", 8, OURS(broadcast), MPIS(broadcast));
    row("broadcast", 64 << 10, OURS(broadcast), MPIS(broadcast));
    row("fcollect", 8, OURS(fcollect), MPIS(fcollect));
    row("fcollect", 8 << 10, OURS(fcollect), MPIS(fcollect));
    row("alltoall", 8, OURS(alltoall), MPIS(alltoall));
    row("alltoall", 8 << 10, OURS(alltoall), MPIS(alltoall));
    end();
    return 0;
}
