/* A network of long latency, to be preloaded: a wait for an operation on a window ends a millisecond after the wait
 * began at the earliest. The functions here stand before MPI's of the same PMPI_ names, by which the library calls MPI.
 *
 *     mpicc -shared -fPIC -O2 -o libdelay.so delay.c -ldl
 *     mpiexec -n 2 env LD_PRELOAD=$PWD/libdelay.so ./program
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <time.h>

/* This thread has issued an operation, and has not waited for it yet. */
static __thread int issued;

static void wait_ms(void)
{
    const struct timespec ms = {0, 1000000};
    nanosleep(&ms, NULL);
}

#define NEXT(name)                                                             \
    static __typeof__(&name) next;                                             \
    if (!next)                                                                 \
    next = (__typeof__(next))dlsym(RTLD_NEXT, #name)

int PMPI_Rget(void *to, int n, MPI_Datatype type, int rank, MPI_Aint disp, int there_n, MPI_Datatype there_type,
              MPI_Win win, MPI_Request *request)
{
    NEXT(PMPI_Rget);
    issued = 1;
    return next(to, n, type, rank, disp, there_n, there_type, win, request);
}

int PMPI_Rput(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint disp, int there_n,
              MPI_Datatype there_type, MPI_Win win, MPI_Request *request)
{
    NEXT(PMPI_Rput);
    issued = 1;
    return next(from, n, type, rank, disp, there_n, there_type, win, request);
}

int PMPI_Raccumulate(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint disp, int there_n,
                     MPI_Datatype there_type, MPI_Op op, MPI_Win win, MPI_Request *request)
{
    NEXT(PMPI_Raccumulate);
    issued = 1;
    return next(from, n, type, rank, disp, there_n, there_type, op, win, request);
}

int PMPI_Rget_accumulate(const void *from, int from_n, MPI_Datatype from_type, void *to, int n, MPI_Datatype type,
                         int rank, MPI_Aint disp, int there_n, MPI_Datatype there_type, MPI_Op op, MPI_Win win,
                         MPI_Request *request)
{
    NEXT(PMPI_Rget_accumulate);
    issued = 1;
    return next(from, from_n, from_type, to, n, type, rank, disp, there_n, there_type, op, win, request);
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    NEXT(PMPI_Test);
    if (issued) {
        issued = 0;
        wait_ms();
    }
    return next(request, flag, status);
}

int PMPI_Win_flush(int rank, MPI_Win win)
{
    NEXT(PMPI_Win_flush);
    wait_ms();
    return next(rank, win);
}

int PMPI_Win_flush_all(MPI_Win win)
{
    NEXT(PMPI_Win_flush_all);
    wait_ms();
    return next(win);
}

int PMPI_Win_flush_local(int rank, MPI_Win win)
{
    NEXT(PMPI_Win_flush_local);
    wait_ms();
    return next(rank, win);
}
