/* A PE that waits in a barrier, for a word or for a lock serves one-sided calls of MPI that another PE makes and that
 * need its CPU, at every thread level: the wait ends only after them. Argument: the level, S F Z (serialized) or M.
 * rules: 265 267 268 */
#include "check.h"

#include <mpi.h>

static long word, lock;
static long cell __attribute__((aligned(16))); /* MPICH 4.0 misplaces data in windows that begin elsewhere */
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
    int provided, code;
    t_alarm();
    MPI_Init_thread(&argc, &argv, values[strchr(levels, argv[1][0]) - levels], &provided);
    shmem_init();
    t_begin();
    const int last = t_npes - 1;
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);

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

    MPI_Win_lock(MPI_LOCK_SHARED, t_me, 0, win);
    MPI_Win_unlock(t_me, win);
    CHECK_EQ(cell, t_me == 0 ? 3 : 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    code = t_done();
    MPI_Finalize();
    return code;
}
