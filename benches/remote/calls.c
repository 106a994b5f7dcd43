/*
 * Calls to a PE of another node: of OpenSHMEM in a program that does nothing else, the plain MPI calls that they come
 * down to in a program without OpenSHMEM (with -DPLAIN), or both beside each other (with -DBESIDE), where batches of
 * both take turns. PE 0 works on the first PE of the second half, which is on the second of two hosts. All others wait
 * in a barrier, which is OpenSHMEM's where that is there. The figures are medians over the batches.
 *
 * usage: calls [-m MIN:MAX] [-i ITERATIONS]
 * Columns: operation, bytes, microseconds. Of both: by OpenSHMEM, by MPI, their ratio.
 */
#include "../common/bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Few enough calls that a batch fits between two turns of other processes, many enough batches for a median. */
enum { BATCHES = 41, LARGEST = 1 << 20 };

static int me, npes, target;
static char *local; /* of LARGEST bytes, as is the memory of the target */

/* `i` counts the calls of a batch. */
typedef void call_fn(size_t bytes, int i);

/* Prints a row if this process is PE 0: operation, bytes, microseconds by each of the two that is not NULL, and of both
 * their ratio. */
static void time_both(const char *name, size_t bytes, int times, call_fn *ours, call_fn *mpi)
{
    call_fn *calls[] = {ours, mpi};
    double us[2][BATCHES], median[2];
    for (int i = -2; i < 2 * BATCHES; i++) {
        int k = i < 0 ? i + 2 : (i + i / 2) % 2; /* each is the first of the two in every other turn */
        int n = i < 0 ? times / 2 + 2 : times;   /* the first batch of each is not counted */
        if (calls[k] == NULL)
            continue;
        double start = bench_now_us();
        for (int call = 0; call < n; call++)
            calls[k](bytes, call);
        if (i >= 0)
            us[k][i / 2] = (bench_now_us() - start) / n;
    }
    if (me != 0)
        return;
    printf("%-14s %8zu", name, bytes);
    for (int k = 0; k < 2; k++)
        if (calls[k] != NULL)
            printf(" %10.2f", median[k] = bench_median(us[k], BATCHES));
    if (ours != NULL && mpi != NULL)
        printf(" %7.3f", median[0] / median[1]);
    printf("\n"), fflush(stdout);
}

#ifndef PLAIN
#include <shmem.h>
static char *ours;
static long *word(void) { return (long *)(void *)ours; }
static void our_put(size_t n, int i) { (void)i, shmem_putmem(ours, local, n, target); }
static void our_put_flush(size_t n, int i) { our_put(n, i), shmem_quiet(); }
static void our_get(size_t n, int i) { (void)i, shmem_getmem(local, ours, n, target); }
static void our_fetch_add(size_t n, int i) { (void)n, (void)i, (void)shmem_long_atomic_fetch_add(word(), 1, target); }
static void our_compare_swap(size_t n, int i)
{
    (void)n, (void)i, (void)shmem_long_atomic_compare_swap(word(), 0, 1, target);
}
static void our_add_flush(size_t n, int i)
{
    (void)n, (void)i, shmem_long_atomic_add(word(), 1, target), shmem_quiet();
}
#define OURS(call) our_##call
#else
#define OURS(call) NULL
#endif

#if defined PLAIN || defined BESIDE
#include <mpi.h>
/* On a window of its own over page-aligned memory, made by MPI_Win_create and locked for all, as the library's are. */
static MPI_Win window;
static MPI_Comm all;
static char *plain;
#ifdef BESIDE
static void mpi_put(size_t n, int i)
{
    (void)i, MPI_Put(local, (int)n, MPI_BYTE, target, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush_local(target, window);
}
#endif
static void mpi_put_flush(size_t n, int i)
{
    (void)i, MPI_Put(local, (int)n, MPI_BYTE, target, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush(target, window);
}
static void mpi_get(size_t n, int i)
{
    (void)i, MPI_Get(local, (int)n, MPI_BYTE, target, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush(target, window);
}
static void mpi_fetch_add(size_t n, int i)
{
    long one = 1, old;
    (void)n, (void)i, MPI_Fetch_and_op(&one, &old, MPI_LONG, target, 0, MPI_SUM, window);
    MPI_Win_flush(target, window);
}
static void mpi_compare_swap(size_t n, int i)
{
    long cond = 0, value = 1, old;
    (void)n, (void)i, MPI_Compare_and_swap(&value, &cond, &old, MPI_LONG, target, 0, window);
    MPI_Win_flush(target, window);
}
static void mpi_add_flush(size_t n, int i)
{
    long one = 1;
    (void)n, (void)i, MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_flush(target, window);
}
#define MPIS(call) mpi_##call
#else
#define MPIS(call) NULL
#endif

static void row(const char *name, size_t bytes, long iterations, call_fn *ours, call_fn *mpi)
{
    const long times = bytes <= BENCH_LARGE ? iterations : iterations / 10 + 1;
    time_both(name, bytes, (int)times, ours, mpi);
}

static void rows(const struct bench_options *o)
{
    for (size_t n = o->min < 8 ? 8 : o->min; n <= o->max; n *= 16) {
#ifdef BESIDE
        row("put", n, o->iterations, OURS(put), MPIS(put));
        shmem_quiet(), MPI_Win_flush(target, window);
#endif
        row("put+quiet", n, o->iterations, OURS(put_flush), MPIS(put_flush));
        row("get", n, o->iterations, OURS(get), MPIS(get));
    }
    row("fetch_add", 8, o->iterations, OURS(fetch_add), MPIS(fetch_add));
    row("compare_swap", 8, o->iterations, OURS(compare_swap), MPIS(compare_swap));
    row("add+quiet", 8, o->iterations, OURS(add_flush), MPIS(add_flush));
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, 200);
#ifdef PLAIN
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_Comm_size(MPI_COMM_WORLD, &npes);
#else
    shmem_init();
    me = shmem_my_pe(), npes = shmem_n_pes();
#endif
    target = npes / 2;
    local = malloc(LARGEST);
    if (npes % 2 != 0 || local == NULL) {
        fprintf(stderr, "%s: needs memory and an even number of PEs, has %d\n", argv[0], npes);
        exit(2);
    }
    memset(local, 1, LARGEST);
#ifndef PLAIN
    ours = shmem_align(4096, LARGEST);
    if (ours == NULL)
        shmem_global_exit(3);
    memset(ours, 0, LARGEST);
#endif
#if defined PLAIN || defined BESIDE
    if (posix_memalign((void **)&plain, 4096, LARGEST) != 0)
        exit(3);
    memset(plain, 0, LARGEST);
#ifdef BESIDE
    int is_up; /* the library starts no MPI where UCX carries its operations */
    if (MPI_Initialized(&is_up), !is_up)
        MPI_Init(&argc, &argv);
#endif
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Win_create(plain, LARGEST, 1, MPI_INFO_NULL, all, &window);
    MPI_Win_lock_all(0, window);
    MPI_Barrier(all);
#endif
#ifndef PLAIN
    shmem_barrier_all();
#endif
    if (me == 0)
        rows(&o);
#if defined PLAIN || defined BESIDE
    MPI_Barrier(all); /* MPI's calls need the target inside MPI; OpenSHMEM's are served by the library's thread */
#endif
#ifndef PLAIN
    shmem_barrier_all();
#endif
#if defined PLAIN || defined BESIDE
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
#endif
#ifdef PLAIN
    MPI_Finalize();
#else
    shmem_finalize();
#endif
#ifdef BESIDE
    if (!is_up)
        MPI_Finalize();
#endif
    return 0;
}
