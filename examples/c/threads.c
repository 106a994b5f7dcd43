/* Several threads of every PE write to other PEs, each over its context. What it shows: SHMEM_THREAD_MULTIPLE,
 * private contexts, and that a quiet on a context waits for that context's operations only.
 *
 *     oshcc -pthread threads.c -o threads && oshrun -n 4 ./threads
 */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>

enum { THREADS = 4, NUMBERS = 2000 };

/* Thread t of PE p owns row [p][t] on every PE. */
static long *table;
static long finished; /* threads that have told this PE that their numbers have arrived */
static int me, n;

static long number(int pe, int thread, int i)
{
    return (long)pe * 1000000 + thread * 100000 + i;
}

static long *row(int pe, int thread)
{
    return table + ((size_t)pe * THREADS + (size_t)thread) * NUMBERS;
}

static void *work(void *argument)
{
    const int thread = *(const int *)argument;
    shmem_ctx_t ctx;
    /* Private: only this thread uses it. Creation may fail for lack of resources; the default context always works. */
    const int own = shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0;
    if (!own)
        ctx = SHMEM_CTX_DEFAULT;

    long source[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        source[i] = number(me, thread, i);
    for (int k = 0; k < n; k++) {
        const int pe = (me + k) % n; /* not all PEs to the same one first */
        shmem_put_nbi(ctx, row(me, thread), source, NUMBERS, pe);
    }
    shmem_ctx_quiet(ctx);
    for (int pe = 0; pe < n; pe++)
        shmem_atomic_inc(ctx, &finished, pe);

    if (own)
        shmem_ctx_destroy(ctx);
    return NULL;
}

int main(void)
{
    int provided;
    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) || provided < SHMEM_THREAD_MULTIPLE) {
        fprintf(stderr, "threads: the library does not offer SHMEM_THREAD_MULTIPLE\n");
        return 1;
    }
    me = shmem_my_pe();
    n = shmem_n_pes();
    table = shmem_malloc((size_t)n * THREADS * NUMBERS * sizeof *table);
    if (!table) {
        fprintf(stderr, "threads: no symmetric memory\n");
        shmem_global_exit(1);
    }

    pthread_t thread[THREADS];
    int index[THREADS];
    for (int t = 0; t < THREADS; t++) {
        index[t] = t;
        if (pthread_create(&thread[t], NULL, work, &index[t])) {
            fprintf(stderr, "threads: cannot make a thread\n");
            shmem_global_exit(1);
        }
    }
    shmem_wait_until(&finished, SHMEM_CMP_EQ, (long)n * THREADS);
    static long wrong, all_wrong;
    for (int pe = 0; pe < n; pe++)
        for (int t = 0; t < THREADS; t++)
            for (int i = 0; i < NUMBERS; i++)
                wrong += row(pe, t)[i] != number(pe, t, i);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);

    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_wrong, &wrong, 1);
    if (me == 0)
        printf("%s: %d threads on each of %d PEs wrote %d numbers to every PE, %ld wrong\n",
               all_wrong ? "WRONG" : "ok", THREADS, n, NUMBERS, all_wrong);
    shmem_free(table);
    shmem_finalize();
    return all_wrong != 0;
}
