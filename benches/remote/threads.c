/*
 * Threads with a context each, which call a PE of another node at the same time: calls per second of all threads
 * together. PE 0 works on the first PE of the second half; all others wait in a barrier.
 *
 * usage: threads [-m MIN:MAX] [-i ITERATIONS]
 * Columns: operation, bytes, threads, calls per second (median of batches).
 */
#include "ours.h"
#include "timed.h"

#include <pthread.h>

enum { MOST = 8 };

static shmem_ctx_t contexts[MOST];
static pthread_barrier_t gate;
static void (*call)(shmem_ctx_t, char *, char *, size_t);
static size_t bytes;
static long times;
static int stop;

static void get_by(shmem_ctx_t ctx, char *there, char *here, size_t n)
{
    shmem_ctx_getmem(ctx, here, there, n, ours_target);
}

static void put_quiet_by(shmem_ctx_t ctx, char *there, char *here, size_t n)
{
    shmem_ctx_putmem_nbi(ctx, there, here, n, ours_target);
    shmem_ctx_quiet(ctx);
}

static void *work(void *arg)
{
    const size_t t = (size_t)arg;
    for (;;) {
        pthread_barrier_wait(&gate);
        if (stop)
            return NULL;
        for (long i = 0; i < times; i++)
            call(contexts[t], ours + t * LARGEST, ours_local + t * LARGEST, bytes);
        pthread_barrier_wait(&gate);
    }
}

static void row(const char *name, size_t threads, size_t size, long iterations)
{
    enum { TURNS = 7 };
    pthread_t thread[MOST];
    double rate[TURNS];
    bytes = size, times = iterations, stop = 0;
    pthread_barrier_init(&gate, NULL, (unsigned)threads + 1);
    for (size_t t = 0; t < threads; t++)
        if (pthread_create(&thread[t], NULL, work, (void *)t))
            shmem_global_exit(4);
    for (int turn = -1; turn < TURNS; turn++) {
        double start = bench_now_us();
        pthread_barrier_wait(&gate);
        pthread_barrier_wait(&gate);
        if (turn >= 0)
            rate[turn] = 1e6 * (double)threads * (double)times / (bench_now_us() - start);
    }
    stop = 1;
    pthread_barrier_wait(&gate);
    for (size_t t = 0; t < threads; t++)
        pthread_join(thread[t], NULL);
    pthread_barrier_destroy(&gate);
    printf("%-10s %8zu %2zu %12.0f\n", name, size, threads, bench_median(rate, TURNS));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, 100);
    ours_open_threaded(argv[0], MOST * LARGEST);
    for (int t = 0; t < MOST; t++)
        if (shmem_ctx_create(0, &contexts[t]) != 0)
            shmem_global_exit(5);
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        for (size_t n = o.min < 8 ? 8 : o.min; n <= o.max; n *= 4096)
            for (size_t threads = 1; threads <= MOST; threads *= 2) {
                call = get_by;
                row("get", threads, n, o.iterations);
                call = put_quiet_by;
                row("put+quiet", threads, n, o.iterations);
            }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
