/*
 * Time to start and resident memory of one process, on one line per process. One source, two programs: compiled
 * plainly it is an MPI program; with -DWITH_SHMEM it is the same program plus OpenSHMEM. The difference is what
 * OpenSHMEM costs.
 *
 * usage: startup          MPI_Init, then (WITH_SHMEM) shmem_init
 *        startup alone    WITH_SHMEM only: shmem_init without an MPI_Init of the program's
 *        startup objects  without WITH_SHMEM only: the time of MPI_Init includes what a one-sided library must have of
 *                         MPI: its thread level, a communicator, and a window that is open to all
 *
 * Columns: process, MPI_Init (ms, 0 if not called), shmem_init (ms, 0 if not called), resident set (KiB),
 * proportional set (KiB: shared pages divided by the number of their users), anonymous memory (KiB: the process's own,
 * without files and without memory shared with others). Read after a barrier, while all processes are there.
 */
#include "../common/bench.h"
#include "../common/memory.h"
#include <mpi.h>
#ifdef WITH_SHMEM
#include <shmem.h>
#endif

static MPI_Comm comm;
static MPI_Win window;

static void make_objects(void)
{
    static long memory[512];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int alone = argc == 2 && strcmp(argv[1], "alone") == 0;
    int objects = argc == 2 && strcmp(argv[1], "objects") == 0;
    int level;
    double mpi_ms = 0, shmem_ms = 0, start;
    int me;

    if (!alone) {
        start = bench_now_us();
        if (objects) {
            MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
            make_objects();
        } else {
            MPI_Init(&argc, &argv);
        }
        mpi_ms = (bench_now_us() - start) / 1e3;
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
        /* shmem_init must not be charged for processes whose MPI_Init ended later. */
        MPI_Barrier(MPI_COMM_WORLD);
    }
#ifdef WITH_SHMEM
    start = bench_now_us();
    shmem_init();
    shmem_ms = (bench_now_us() - start) / 1e3;
    me = shmem_my_pe();
    shmem_barrier_all();
    struct memory m = memory_now();
    shmem_barrier_all();
#else
    if (alone)
        return 2;
    struct memory m = memory_now();
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    if (me == 0)
        printf("# %-8s%16s%18s%12s%12s%18s\n", "Process", "MPI_Init (ms)", "shmem_init (ms)", "Rss (KiB)", "Pss (KiB)",
               "Anonymous (KiB)");
    printf("%-10d%16.3f%18.3f%12ld%12ld%18ld\n", me, mpi_ms, shmem_ms, m.rss, m.pss, m.anonymous);
    fflush(stdout);
#ifdef WITH_SHMEM
    shmem_barrier_all();
    shmem_finalize();
#endif
    if (objects) {
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
        MPI_Comm_free(&comm);
    }
    if (!alone)
        MPI_Finalize();
    return 0;
}
