/*
 * OpenSHMEM calls to a PE of another node beside the plain MPI calls they come down to, in one program: MPI on a window
 * of its own over page-aligned memory, made by MPI_Win_create and locked for all, as the library's are. PE 0 works on
 * PE 1, which waits in a barrier. Batches of both take turns; medians over the batches.
 *
 * usage: beside_mpi [-m MIN:MAX] [-i ITERATIONS]
 * Columns: operation, bytes, microseconds by OpenSHMEM, by MPI, their ratio.
 */
#include "../common/bench.h"
#include <mpi.h>
#include <shmem.h>

/* Few enough that a batch fits between two turns of other processes, many enough for a median. */
enum { BATCHES = 41, LARGEST = 1 << 20 };

static MPI_Win window;
static char *ours, *theirs, *local;

static double batch_us(void (*call)(size_t), size_t size, long times)
{
    double start = bench_now_us();
    for (long i = 0; i < times; i++)
        call(size);
    return (bench_now_us() - start) / (double)times;
}

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

static void put(size_t n) { shmem_putmem(ours, local, n, 1); }
static void mpi_put(size_t n)
{
    MPI_Put(local, (int)n, MPI_BYTE, 1, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush_local(1, window);
}
static void put_quiet(size_t n) { put(n), shmem_quiet(); }
static void mpi_put_flush(size_t n)
{
    MPI_Put(local, (int)n, MPI_BYTE, 1, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush(1, window);
}
static void get(size_t n) { shmem_getmem(local, ours, n, 1); }
static void mpi_get(size_t n)
{
    MPI_Get(local, (int)n, MPI_BYTE, 1, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush(1, window);
}
static void fetch_add(size_t n) { (void)n, (void)shmem_long_atomic_fetch_add((long *)(void *)ours, 1, 1); }
static void mpi_fetch_add(size_t n)
{
    long one = 1, old;
    (void)n;
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 0, MPI_SUM, window);
    MPI_Win_flush(1, window);
}
static void compare_swap(size_t n) { (void)n, (void)shmem_long_atomic_compare_swap((long *)(void *)ours, 0, 1, 1); }
static void mpi_compare_swap(size_t n)
{
    long cond = 0, value = 1, old;
    (void)n;
    MPI_Compare_and_swap(&value, &cond, &old, MPI_LONG, 1, 0, window);
    MPI_Win_flush(1, window);
}
static void add_quiet(size_t n) { (void)n, shmem_long_atomic_add((long *)(void *)ours, 1, 1), shmem_quiet(); }
static void mpi_add_flush(size_t n)
{
    long one = 1;
    (void)n;
    MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_flush(1, window);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, 200);
    shmem_init();
    if (shmem_n_pes() != 2) {
        fprintf(stderr, "%s: needs 2 PEs, has %d\n", argv[0], shmem_n_pes());
        shmem_global_exit(2);
    }
    ours = shmem_align(4096, LARGEST);
    local = malloc(LARGEST);
    if (posix_memalign((void **)&theirs, 4096, LARGEST) != 0 || ours == NULL || local == NULL)
        shmem_global_exit(3);
    memset(ours, 0, LARGEST), memset(theirs, 0, LARGEST), memset(local, 0, LARGEST);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_create(theirs, LARGEST, 1, MPI_INFO_NULL, comm, &window);
    MPI_Win_lock_all(0, window);
    MPI_Barrier(comm);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        printf("%-14s %8s %10s %10s %7s\n", "# operation", "bytes", "OpenSHMEM", "MPI", "ratio");
        for (size_t n = o.min < 8 ? 8 : o.min; n <= o.max; n *= 16) {
            long times = n <= BENCH_LARGE ? o.iterations : o.iterations / 10 + 1;
            row("put", n, times, put, mpi_put);
            shmem_quiet(), MPI_Win_flush(1, window);
            row("put+quiet", n, times, put_quiet, mpi_put_flush);
            row("get", n, times, get, mpi_get);
        }
        row("fetch_add", 8, o.iterations, fetch_add, mpi_fetch_add);
        row("compare_swap", 8, o.iterations, compare_swap, mpi_compare_swap);
        row("add+quiet", 8, o.iterations, add_quiet, mpi_add_flush);
    }
    shmem_barrier_all();
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    shmem_finalize();
    return 0;
}
