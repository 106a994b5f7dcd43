/* A thread that has put nothing itself does quiet on a context: what another thread of its PE had put there before
 * is then where a third PE finds it, which learns of it by an AMO of the first thread's. On a shareable and on the
 * default context. shmem_ctx_quiet
 * rules: 82 250 */
#include "check.h"

#include <pthread.h>

enum { PUTS = 1000, ROUNDS = 6 };
static long there[PUTS], source[PUTS], told, seen;
static shmem_ctx_t ctx;
static pthread_barrier_t gate;

static long value(long round, int i) { return round * 10007 + i; }

/* Puts, and says so to the other thread alone. */
static void *put(void *arg)
{
    for (long r = 1; r <= ROUNDS; r++) {
        pthread_barrier_wait(&gate);
        for (int i = 0; i < PUTS; i++) {
            source[i] = value(r, i);
            shmem_ctx_long_put_nbi(ctx, &there[i], &source[i], 1, t_npes - 1);
        }
        pthread_barrier_wait(&gate);
    }
    return arg;
}

/* PE 0 puts to the last PE and tells PE 1. */
static void run(const char *what)
{
    t_what = what;
    told = seen = 0;
    shmem_barrier_all();
    if (t_me == 0) {
        pthread_t thread;
        pthread_barrier_init(&gate, NULL, 2);
        if (pthread_create(&thread, NULL, put, NULL))
            T_DIE("no thread");
        for (long r = 1; r <= ROUNDS; r++) {
            pthread_barrier_wait(&gate);
            pthread_barrier_wait(&gate);
            shmem_ctx_quiet(ctx);
            shmem_long_atomic_set(&told, r, 1);
            shmem_long_wait_until(&seen, SHMEM_CMP_EQ, r);
        }
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&gate);
    } else if (t_me == 1)
        for (long r = 1; r <= ROUNDS; r++) {
            long got[PUTS];
            shmem_long_wait_until(&told, SHMEM_CMP_EQ, r);
            shmem_long_get(got, there, PUTS, t_npes - 1);
            CHECK_EACH(PUTS, got[i], value(r, i));
            shmem_long_atomic_set(&seen, r, 0);
        }
    shmem_barrier_all();
}

int main(void)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    run("a shareable context");
    shmem_ctx_destroy(ctx);
    ctx = SHMEM_CTX_DEFAULT;
    run("the default context");
    return t_done();
}
