/* MPI one-sided communication of the program's own, on its own windows, beside ours, and MPI traffic in flight across
 * our barriers. With the argument `heap` also on a window on a part of the heap, between barriers.
 * rules: 265 267 268 */
#include "check.h"

#include <mpi.h>

static long static_cell;

static void on_the_heap(long *heap)
{
    MPI_Win win;
    MPI_Win_create(heap, 8 * sizeof *heap, sizeof *heap, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (long r = 1; r <= 20; r++) {
        const long v = 500 * r + t_me;
        MPI_Win_fence(0, win);
        MPI_Put(&v, 1, MPI_LONG, t_right(), 6, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
        shmem_barrier_all();
        CHECK_EQ(heap[6], 500 * r + t_left());
        CHECK_EQ(shmem_long_g(&heap[6], t_me), 500 * r + t_left());
        CHECK_EQ(shmem_long_g(&heap[6], t_right()), 500 * r + t_me);
        shmem_barrier_all();
    }
    MPI_Win_free(&win);
}

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
    CHECK_EQ(rank, t_me);
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
    if (argc > 1)
        on_the_heap(heap);
    const int code = t_done();
    MPI_Finalize();
    return code;
}
