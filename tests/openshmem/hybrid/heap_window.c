/* A window of the program's own on a part of the heap, used between barriers.
 * rules: 265 267 268 */
#include "check.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Win win;
    long *heap, v;
    int rank, size;
    t_alarm();
    MPI_Init(&argc, &argv);
    shmem_init();
    t_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(size, t_npes);
    heap = shmem_calloc(8, sizeof *heap);
    MPI_Win_create(heap, 8 * sizeof *heap, sizeof *heap, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (long r = 1; r <= 20; r++) {
        MPI_Win_fence(0, win);
        v = 500 * r + rank;
        MPI_Put(&v, 1, MPI_LONG, (rank + 1) % size, 6, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
        shmem_barrier_all();
        CHECK_EQ(heap[6], 500 * r + (rank + size - 1) % size);
        CHECK_EQ(shmem_long_g(&heap[6], t_me), 500 * r + (rank + size - 1) % size);
        CHECK_EQ(shmem_long_g(&heap[6], t_right()), 500 * r + t_me);
        shmem_barrier_all();
    }
    MPI_Win_free(&win);
    {
        int code = t_done();
        MPI_Finalize();
        return code;
    }
}
