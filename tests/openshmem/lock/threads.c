/* Several threads of a PE wait for one lock that another PE holds: each gets it in its turn. A thread that tests or
 * sets a lock that another thread of its PE has does not get it before that thread has cleared it.
 * rules: 82 83 253 258 */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4 };
static long lock, asking, inside, got;

static void *one(void *unused)
{
    shmem_long_atomic_inc(&asking, 0);
    shmem_set_lock(&lock);
    CHECK_EQ(shmem_long_atomic_fetch_inc(&inside, 0), 0);
    shmem_long_p(&got, shmem_long_g(&got, 0) + 1, 0);
    shmem_quiet();
    CHECK_EQ(shmem_long_atomic_fetch_add(&inside, -1, 0), 1);
    shmem_clear_lock(&lock);
    return unused;
}

static atomic_int tested, has_it;

static void *beside(void *unused)
{
    CHECK_EQ(shmem_test_lock(&lock), 1);
    tested = 1;
    shmem_set_lock(&lock);
    has_it = 1;
    shmem_clear_lock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    for (int turn = 1; turn <= 3; turn++) {
        if (t_me == 0)
            shmem_set_lock(&lock);
        shmem_barrier_all();
        if (t_me > 0)
            for (int t = 0; t < THREADS; t++)
                CHECK_EQ(pthread_create(&threads[t], NULL, one, NULL), 0);
        if (t_me == 0) {
            shmem_long_wait_until(&asking, SHMEM_CMP_EQ, 1L * THREADS * (t_npes - 1) * turn);
            usleep(300000); /* all are in the call */
            CHECK_EQ(got, 1L * THREADS * (t_npes - 1) * (turn - 1));
            shmem_clear_lock(&lock);
        }
        if (t_me > 0)
            for (int t = 0; t < THREADS; t++)
                pthread_join(threads[t], NULL);
        shmem_barrier_all();
        CHECK_EQ(shmem_long_g(&got, 0), 1L * THREADS * (t_npes - 1) * turn);
        CHECK_EQ(lock, 0);
        shmem_barrier_all();
    }
    if (t_me == t_npes - 1) {
        shmem_set_lock(&lock);
        CHECK_EQ(pthread_create(threads, NULL, beside, NULL), 0);
        while (!tested)
            usleep(1000);
        usleep(50000); /* the thread is in the call */
        CHECK_EQ(has_it, 0);
        shmem_clear_lock(&lock);
        pthread_join(threads[0], NULL);
        CHECK_EQ(has_it, 1);
    }
    shmem_barrier_all();
    return t_done();
}
