/* The race detector and what orders the threads of a PE. All threads are ordered, so nothing is reported: by each kind
 * of lock, by what is done once, by conditions, with threads that are older than the library, and with what a thread
 * does at its end. With the argument `racy` two threads are not ordered, with `readers` two that hold a lock to read,
 * with `blocked` two while another one waits for input to the end. Built with -oshmpi-race. */

#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <semaphore.h>

enum { ROUNDS = 100, THREADS_IN_TURN = 10 };

static long count, racy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static sem_t sem;
static int turn, initialised;

static const struct timespec *later(clockid_t clock)
{
    static __thread struct timespec until;
    clock_gettime(clock, &until);
    until.tv_sec += 30;
    return &until;
}

static int try_spin(void)
{
    while (pthread_spin_trylock(&spin))
        usleep(10);
    return 0;
}

static int try_sem(void)
{
    while (sem_trywait(&sem))
        usleep(10);
    return 0;
}

/* Each way to lock in turn. */
#define LOCKED(name, first, second, unlock)   \
    static void *name(void *arg)              \
    {                                         \
        for (int i = 0; i < ROUNDS; i++) {    \
            CHECK_EQ(i % 2 ? first : second, 0); \
            count++;                          \
            unlock;                           \
        }                                     \
        return arg;                           \
    }
LOCKED(mutexes, pthread_mutex_timedlock(&mutex, later(CLOCK_REALTIME)),
       pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, later(CLOCK_MONOTONIC)), pthread_mutex_unlock(&mutex))
LOCKED(writers, pthread_rwlock_timedwrlock(&rwlock, later(CLOCK_REALTIME)),
       pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, later(CLOCK_MONOTONIC)), pthread_rwlock_unlock(&rwlock))
LOCKED(spins, pthread_spin_lock(&spin), try_spin(), pthread_spin_unlock(&spin))
LOCKED(semaphores, sem_wait(&sem), try_sem(), sem_post(&sem))
LOCKED(timed_semaphores, sem_timedwait(&sem, later(CLOCK_REALTIME)),
       sem_clockwait(&sem, CLOCK_MONOTONIC, later(CLOCK_MONOTONIC)), sem_post(&sem))

static void *reads(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 10 == 0) {
            CHECK_EQ(pthread_rwlock_timedwrlock(&rwlock, later(CLOCK_REALTIME)), 0);
            count++;
        } else if (i % 2) {
            CHECK_EQ(pthread_rwlock_timedrdlock(&rwlock, later(CLOCK_REALTIME)), 0);
        } else {
            CHECK_EQ(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, later(CLOCK_MONOTONIC)), 0);
        }
        CHECK(count > 0);
        pthread_rwlock_unlock(&rwlock);
    }
    return arg;
}

static void *waits(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        while (turn != me)
            pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, later(CLOCK_MONOTONIC));
        count++;
        turn = !me;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static void initialise(void)
{
    initialised = 7;
    usleep(1000);
}

static void *does_once(void *arg)
{
    CHECK_EQ(pthread_once(&once, initialise), 0);
    CHECK_EQ(initialised, 7);
    return arg;
}

/* Made before the library is up. It waits without any order. */
static int is_up;
static long of_early;

static void counts(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        count++;
        pthread_mutex_unlock(&mutex);
        usleep(10);
    }
}

static void *early(void *arg)
{
    while (!__atomic_load_n(&is_up, __ATOMIC_RELAXED))
        usleep(100);
    of_early = 1;
    counts();
    return arg;
}

static void with_early(pthread_t thread)
{
    __atomic_store_n(&is_up, 1, __ATOMIC_RELAXED);
    counts();
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(of_early, 1);
    of_early = 2;
    count++;
}

/* What is called when a thread has ended. */
static pthread_key_t key;
static long ended;

static void at_end(void *of)
{
    *(long *)of += 1;
    ended++;
}

static void *with_end(void *arg)
{
    pthread_setspecific(key, arg);
    return arg;
}

static void ends(void)
{
    long its = 0;
    CHECK_EQ(pthread_key_create(&key, at_end), 0);
    for (int i = 0; i < THREADS_IN_TURN; i++) {
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, with_end, &its), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        ended++;
        its++;
    }
    CHECK_EQ(ended, 2 * THREADS_IN_TURN);
    CHECK_EQ(its, 2 * THREADS_IN_TURN);
}

static void *races(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        racy++;
    return arg;
}

/* Waits for input that does not come, and holds the stream. */
static void *waits_for_input(void *arg)
{
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    FILE *f = fdopen(ends[0], "r");
    CHECK(f != NULL);
    return fgetc(f) == EOF ? NULL : arg;
}

static void blocked(void)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, waits_for_input, NULL), 0);
    usleep(200 * 1000);
    t_threads(2, races);
}

/* A lock to read orders no two readers. */
static long by_readers;

static void *reads_and_stores(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&rwlock);
        by_readers++;
        pthread_rwlock_unlock(&rwlock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, early, NULL), 0);
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    with_early(thread);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&sem, 0, 1);
    t_threads(2, mutexes);
    t_threads(2, writers);
    t_threads(2, reads);
    t_threads(2, spins);
    t_threads(2, semaphores);
    t_threads(2, timed_semaphores);
    t_threads(2, waits);
    t_threads(2, does_once);
    ends();
    if (argc > 1 && !strcmp(argv[1], "racy"))
        t_threads(2, races);
    if (argc > 1 && !strcmp(argv[1], "blocked"))
        blocked();
    if (argc > 1 && !strcmp(argv[1], "readers"))
        t_threads(2, reads_and_stores);
    return t_done();
}
