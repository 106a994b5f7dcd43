/* Counts what a process sends through MPI: messages, their bytes, and collectives that it calls. To be preloaded:
 *
 *     mpicc -shared -fPIC -O2 -o libpmpi_count.so pmpi_count.c -ldl
 *     mpiexec -n 16 env LD_PRELOAD=$PWD/libpmpi_count.so OSHMPI_ROUTE=mpi OSHMPI_TRANSPORT=mpi ./program
 *
 * The functions here stand before MPI's of the same PMPI_ names, by which the library calls MPI; what a program calls
 * by MPI_ names is not counted. A program asks for the numbers by pmpi_counts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_ullong messages, bytes, collectives;

/* Of this process so far: messages, their bytes, calls of MPI's collectives. */
void pmpi_counts(unsigned long long counts[3])
{
    counts[0] = atomic_load(&messages);
    counts[1] = atomic_load(&bytes);
    counts[2] = atomic_load(&collectives);
}

static void message(int count, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    atomic_fetch_add(&messages, 1);
    atomic_fetch_add(&bytes, (unsigned long long)count * (unsigned long long)size);
}

/* MPI's own function of this name. */
#define REAL(name)                                        \
    static __typeof__(&name) real;                        \
    if (!real)                                            \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define SENDS(name, PARAMS, ARGS) \
    int name PARAMS               \
    {                             \
        REAL(name);               \
        message(count, type);     \
        return real ARGS;         \
    }
#define COLLECTIVE(name, PARAMS, ARGS)    \
    int name PARAMS                       \
    {                                     \
        REAL(name);                       \
        atomic_fetch_add(&collectives, 1); \
        return real ARGS;                 \
    }

#define TO_ONE const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm
SENDS(PMPI_Send, (TO_ONE), (from, count, type, to, tag, comm))
SENDS(PMPI_Ssend, (TO_ONE), (from, count, type, to, tag, comm))
SENDS(PMPI_Rsend, (TO_ONE), (from, count, type, to, tag, comm))
SENDS(PMPI_Bsend, (TO_ONE), (from, count, type, to, tag, comm))
SENDS(PMPI_Isend, (TO_ONE, MPI_Request *request), (from, count, type, to, tag, comm, request))
SENDS(PMPI_Issend, (TO_ONE, MPI_Request *request), (from, count, type, to, tag, comm, request))
SENDS(PMPI_Irsend, (TO_ONE, MPI_Request *request), (from, count, type, to, tag, comm, request))
SENDS(PMPI_Ibsend, (TO_ONE, MPI_Request *request), (from, count, type, to, tag, comm, request))

/* A put, or a get, is one message of as many bytes. */
#define AT_TARGET int target, MPI_Aint at, int n, MPI_Datatype there
#define THERE target, at, n, there
#define PUT const void *from, int count, MPI_Datatype type, AT_TARGET
#define GET void *to, int count, MPI_Datatype type, AT_TARGET
#define BOTH const void *from, int count, MPI_Datatype type, void *to, int got, MPI_Datatype here, AT_TARGET
SENDS(PMPI_Put, (PUT, MPI_Win win), (from, count, type, THERE, win))
SENDS(PMPI_Rput, (PUT, MPI_Win win, MPI_Request *request), (from, count, type, THERE, win, request))
SENDS(PMPI_Get, (GET, MPI_Win win), (to, count, type, THERE, win))
SENDS(PMPI_Rget, (GET, MPI_Win win, MPI_Request *request), (to, count, type, THERE, win, request))
SENDS(PMPI_Accumulate, (PUT, MPI_Op op, MPI_Win win), (from, count, type, THERE, op, win))
SENDS(PMPI_Raccumulate, (PUT, MPI_Op op, MPI_Win win, MPI_Request *request),
      (from, count, type, THERE, op, win, request))
SENDS(PMPI_Get_accumulate, (BOTH, MPI_Op op, MPI_Win win), (from, count, type, to, got, here, THERE, op, win))
SENDS(PMPI_Rget_accumulate, (BOTH, MPI_Op op, MPI_Win win, MPI_Request *request),
      (from, count, type, to, got, here, THERE, op, win, request))

int PMPI_Fetch_and_op(const void *from, void *to, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op, MPI_Win win)
{
    REAL(PMPI_Fetch_and_op);
    message(1, type);
    return real(from, to, type, target, at, op, win);
}

int PMPI_Compare_and_swap(const void *from, const void *cond, void *to, MPI_Datatype type, int target, MPI_Aint at,
                          MPI_Win win)
{
    REAL(PMPI_Compare_and_swap);
    message(1, type);
    return real(from, cond, to, type, target, at, win);
}

/* Persistent sends: what each start sends is known from its request. */
enum { PERSISTENT = 4096 };
static struct {
    MPI_Request request;
    int count;
    MPI_Datatype type;
} persistent[PERSISTENT];
static atomic_int made;

int PMPI_Send_init(TO_ONE, MPI_Request *request)
{
    REAL(PMPI_Send_init);
    int code = real(from, count, type, to, tag, comm, request), i = atomic_fetch_add(&made, 1);
    if (i >= PERSISTENT) {
        fprintf(stderr, "pmpi_count: more than %d persistent sends\n", PERSISTENT);
        abort();
    }
    persistent[i].count = count;
    persistent[i].type = type;
    persistent[i].request = *request;
    return code;
}

static void start(MPI_Request request)
{
    for (int i = atomic_load(&made); i-- > 0;) /* a request's number may be used again: the latest counts */
        if (persistent[i].request == request) {
            message(persistent[i].count, persistent[i].type);
            return;
        }
}

int PMPI_Start(MPI_Request *request)
{
    REAL(PMPI_Start);
    start(*request);
    return real(request);
}

int PMPI_Startall(int count, MPI_Request requests[])
{
    REAL(PMPI_Startall);
    for (int i = 0; i < count; i++)
        start(requests[i]);
    return real(count, requests);
}

#define MADE MPI_Comm comm, MPI_Request *request
COLLECTIVE(PMPI_Barrier, (MPI_Comm comm), (comm))
COLLECTIVE(PMPI_Ibarrier, (MADE), (comm, request))
COLLECTIVE(PMPI_Bcast, (void *at, int n, MPI_Datatype type, int root, MPI_Comm comm), (at, n, type, root, comm))
COLLECTIVE(PMPI_Ibcast, (void *at, int n, MPI_Datatype type, int root, MADE), (at, n, type, root, comm, request))
#define IN_OUT const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype other
COLLECTIVE(PMPI_Allgather, (IN_OUT, MPI_Comm comm), (in, n, type, out, m, other, comm))
COLLECTIVE(PMPI_Iallgather, (IN_OUT, MADE), (in, n, type, out, m, other, comm, request))
COLLECTIVE(PMPI_Iallgatherv,
           (const void *in, int n, MPI_Datatype type, void *out, const int *counts, const int *at, MPI_Datatype other,
            MADE),
           (in, n, type, out, counts, at, other, comm, request))
COLLECTIVE(PMPI_Ialltoall, (IN_OUT, MADE), (in, n, type, out, m, other, comm, request))
#define REDUCED const void *in, void *out, int n, MPI_Datatype type, MPI_Op op
COLLECTIVE(PMPI_Allreduce, (REDUCED, MPI_Comm comm), (in, out, n, type, op, comm))
COLLECTIVE(PMPI_Iallreduce, (REDUCED, MADE), (in, out, n, type, op, comm, request))
COLLECTIVE(PMPI_Iscan, (REDUCED, MADE), (in, out, n, type, op, comm, request))
COLLECTIVE(PMPI_Iexscan, (REDUCED, MADE), (in, out, n, type, op, comm, request))
COLLECTIVE(PMPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made_comm),
           (comm, group, tag, made_comm))
