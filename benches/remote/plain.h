/* The plain MPI calls that those of ours.h come down to: on a window of its own over page-aligned memory, made by
 * MPI_Win_create and locked for all, as the library's are. */
#ifndef FAR_PLAIN_H
#define FAR_PLAIN_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Win window;
static MPI_Comm plain_comm;
static char *plain, *plain_local;
static int plain_target;

static void mpi_put(size_t n)
{
    MPI_Put(plain_local, (int)n, MPI_BYTE, plain_target, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush_local(plain_target, window);
}
static void mpi_put_flush(size_t n)
{
    MPI_Put(plain_local, (int)n, MPI_BYTE, plain_target, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush(plain_target, window);
}
static void mpi_get(size_t n)
{
    MPI_Get(plain_local, (int)n, MPI_BYTE, plain_target, 0, (int)n, MPI_BYTE, window);
    MPI_Win_flush(plain_target, window);
}
static void mpi_fetch_add(size_t n)
{
    long one = 1, old;
    (void)n;
    MPI_Fetch_and_op(&one, &old, MPI_LONG, plain_target, 0, MPI_SUM, window);
    MPI_Win_flush(plain_target, window);
}
static void mpi_compare_swap(size_t n)
{
    long cond = 0, value = 1, old;
    (void)n;
    MPI_Compare_and_swap(&value, &cond, &old, MPI_LONG, plain_target, 0, window);
    MPI_Win_flush(plain_target, window);
}
static void mpi_add_flush(size_t n)
{
    long one = 1;
    (void)n;
    MPI_Accumulate(&one, 1, MPI_LONG, plain_target, 0, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_flush(plain_target, window);
}

/* After MPI's initialisation. */
static void plain_open(size_t largest)
{
    plain_local = malloc(largest);
    if (posix_memalign((void **)&plain, 4096, largest) != 0 || plain_local == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    memset(plain, 0, largest), memset(plain_local, 0, largest);
    MPI_Comm_size(MPI_COMM_WORLD, &plain_target);
    plain_target /= 2;
    MPI_Comm_dup(MPI_COMM_WORLD, &plain_comm);
    MPI_Win_create(plain, (MPI_Aint)largest, 1, MPI_INFO_NULL, plain_comm, &window);
    MPI_Win_lock_all(0, window);
    MPI_Barrier(plain_comm);
}

static void plain_close(void)
{
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

#endif
