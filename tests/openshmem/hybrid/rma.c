/* MPI one-sided communication of the program's own, on its own windows, beside ours, and MPI traffic in flight across
 * our barriers.
 * rules: 265 267 268 */
#include "check.h"

#include <mpi.h>

static long static_cell;

int main(int argc, char **argv)
{
    MPI_Win win;
    long *base, *heap, v;
    int rank, size, token = -1;
    MPI_Request request;
    t_alarm();
    MPI_Init(&argc, &argv);
    shmem_init();
    t_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(size, t_npes);
    heap = shmem_calloc(8, sizeof *heap);
    /* A page each: MPICH 4.0.2 misplaces puts to a window base that is not 16-byte aligned. */
    MPI_Win_allocate(4096, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long r = 1; r <= 50; r++) {
        MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 9, MPI_COMM_WORLD, &request);
        v = r * 10 + rank;
        MPI_Win_fence(0, win);
        MPI_Put(&v, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win);
        shmem_long_p(&static_cell, r, t_right());
        shmem_long_p(&heap[1], -r, t_right());
        MPI_Win_fence(0, win);
        CHECK_EQ(*base, r * 10 + (rank + size - 1) % size);
        shmem_barrier_all();
        CHECK_EQ(static_cell, r);
        CHECK_EQ(heap[1], -r);
        MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_EQ(token, (rank + size - 1) % size);
        shmem_barrier_all();
    }
    shmem_barrier_all();
    MPI_Win_free(&win);
    {
        int code = t_done();
        MPI_Finalize();
        return code;
    }
}
