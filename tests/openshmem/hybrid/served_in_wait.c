/* A PE that waits in init, in a barrier, for a word or for a lock serves one-sided calls of MPI that another PE makes
 * and that need its CPU, at every thread level: the wait ends only after them. Argument: the level, S F Z (serialized)
 * or M.
 * rules: 265 267 268 */
#include "check.h"

#include <mpi.h>

static long word, lock;
static MPI_Win win;

/* The last PE adds to the window of PE 0. */
static void touch(void)
{
    const long one = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock(0, win);
}

int main(int argc, char **argv)
{
    const char *levels = "SFZM";
    const int values[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    int provided, rank, size, code;
    long *cell = calloc(1, sizeof *cell);
    t_alarm();
    MPI_Init_thread(&argc, &argv, values[strchr(levels, argv[1][0]) - levels], &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(cell, sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);

    if (rank == size - 1)
        touch();
    shmem_init();
    t_begin();
    const int last = t_npes - 1;

    if (t_me == last)
        touch();
    shmem_barrier_all();

    if (t_me == last) {
        touch();
        shmem_long_p(&word, 1, 0);
    }
    if (t_me == 0)
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();

    if (t_me == last)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    if (t_me == last) {
        touch();
        shmem_clear_lock(&lock);
    } else {
        shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();

    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Win_unlock(rank, win);
    CHECK_EQ(*cell, rank == 0 ? 4 : 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    free(cell);
    code = t_done();
    MPI_Finalize();
    return code;
}
