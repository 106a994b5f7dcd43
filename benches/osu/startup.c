/*
 * Time to start, and memory of a process. Compiled plainly it is an MPI program; with -DWITH_SHMEM it is the same
 * program with OpenSHMEM, or with the word `alone` one that does not call MPI_Init itself. The difference is what
 * OpenSHMEM costs.
 *
 * Rows: milliseconds until the last process is ready; KiB, of which the median of the processes counts, while all of
 * them are there: resident; proportional, where shared pages are divided by the number of their users; anonymous,
 * which are the process's own.
 */
#include "bench.h"
#include <mpi.h>
#ifdef WITH_SHMEM
#include <shmem.h>
#endif

enum { ROWS = 5, MOST = 1024 };
static const char *const names[ROWS] = {"MPI_Init_ms", "shmem_init_ms", "resident_KiB", "share_KiB", "anonymous_KiB"};
static double mine[ROWS]; /* 0: a call that is not made */

static void read_memory(void)
{
    char line[256];
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    if (f == NULL)
        perror("/proc/self/smaps_rollup"), exit(1);
    while (fgets(line, sizeof line, f) != NULL) {
        sscanf(line, "Rss: %lf", &mine[2]);
        sscanf(line, "Pss: %lf", &mine[3]);
        sscanf(line, "Anonymous: %lf", &mine[4]);
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    int alone = bench_has(argc, argv, "alone"), me = 0, n = 0;
    static double all[MOST][ROWS];
    double start = bench_now_us();
    if (!alone) {
        MPI_Init(&argc, &argv);
        mine[0] = (bench_now_us() - start) / 1e3;
        MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_Comm_size(MPI_COMM_WORLD, &n);
        /* shmem_init is not charged for processes whose MPI_Init ended later. */
        MPI_Barrier(MPI_COMM_WORLD);
    }
#ifdef WITH_SHMEM
    start = bench_now_us();
    shmem_init();
    mine[1] = (bench_now_us() - start) / 1e3;
    me = shmem_my_pe(), n = shmem_n_pes();
    shmem_barrier_all();
    read_memory();
    shmem_barrier_all();
    for (int pe = 0; pe < n && pe < MOST && me == 0; pe++)
        shmem_getmem(all[pe], mine, sizeof mine, pe);
#else
    read_memory();
    MPI_Gather(mine, ROWS, MPI_DOUBLE, all, ROWS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#endif
    for (int r = 0; r < ROWS && me == 0; r++) {
        double values[MOST];
        for (int pe = 0; pe < n; pe++)
            values[pe] = all[pe][r];
        double median = bench_median(values, n), most = values[n - 1];
        if (most > 0)
            bench_row(names[r], 0, r < 2 ? most : median);
    }
#ifdef WITH_SHMEM
    shmem_barrier_all();
    shmem_finalize();
#endif
    if (!alone)
        MPI_Finalize();
    return 0;
}
