/* Threads with contexts of their own do not wait for each other in calls to a PE of another node. The program stands
 * between the library and MPI: it lets no call of a thread complete before as many threads have begun one. If a lock
 * were held meanwhile, the others could not begin theirs, and none would end. shmem_ctx_get
 * rules: 82 */
#define _GNU_SOURCE
#include "check.h"
#include <mpi.h>

#include <dlfcn.h>
#include <sched.h>

/* So many bytes go through windows, not by message. */
enum { THREADS = 4, ROUNDS = 20, WORDS = 5000 };

static long begun, windows; /* calls held up so far, and those of them that reached MPI's windows */
static long *there;

/* What `begun` must reach before the call of this thread may complete; 0: this thread is not held up. */
static __thread long together;

static int all_have_begun(void) { return __atomic_load_n(&begun, __ATOMIC_SEQ_CST) >= together; }

static void begins(void)
{
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&windows, 1, __ATOMIC_SEQ_CST);
}

int PMPI_Rget(void *to, int n, MPI_Datatype type, int rank, MPI_Aint disp, int there_n, MPI_Datatype there_type,
              MPI_Win win, MPI_Request *request)
{
    const int code = T_NEXT(PMPI_Rget)(to, n, type, rank, disp, there_n, there_type, win, request);
    if (together)
        begins();
    return code;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (together && !all_have_begun()) {
        *flag = 0;
        sched_yield();
        return MPI_SUCCESS;
    }
    return T_NEXT(PMPI_Test)(request, flag, status);
}

static long value(long pe, long thread, long round, long i) { return pe * 1000003 + thread * 10007 + round * 101 + i; }

static void *work(void *arg)
{
    const long t = (long)(intptr_t)arg, to = (t_me + t_npes / 2) % t_npes;
    long *mine = there + t * WORDS, *local = malloc(WORDS * sizeof(long));
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(t % 2 ? SHMEM_CTX_PRIVATE : 0, &ctx), 0);
    for (long r = 0; r < ROUNDS; r++) {
        together = (r + 1) * THREADS;
        shmem_ctx_getmem(ctx, local, mine, WORDS * sizeof(long), (int)to);
        together = 0;
        CHECK_EACH(WORDS, local[i], value(to, t, 0, i));
    }
    shmem_ctx_destroy(ctx);
    free(local);
    return NULL;
}

int main(void)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    there = shmem_malloc(THREADS * WORDS * sizeof(long));
    for (long t = 0; t < THREADS; t++)
        for (long i = 0; i < WORDS; i++)
            there[t * WORDS + i] = value(t_me, t, 0, i);
    shmem_barrier_all();
    t_threads(THREADS, work);
    shmem_barrier_all();
    CHECK_EQ(windows, THREADS * ROUNDS);
    return t_done();
}
