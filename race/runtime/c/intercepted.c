/* Functions that the compilers do not instrument and that order threads of the program, or give it memory. The program
 * is linked with `--wrap=NAME` for each function `__wrap_NAME` (wrapped.txt and library.txt list them). So its calls
 * come here and those of libraries do not. In the archive a call of NAME is one of `__real_NAME`, because `cargo xtask
 * install` renames it. */

#define _GNU_SOURCE
#include "tasks.h"
#include "wrap.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>

/* glibc has them since 2.30. A program that calls one runs where there is one. */
#pragma weak pthread_cond_clockwait
#pragma weak pthread_mutex_clocklock
#pragma weak pthread_rwlock_clockrdlock
#pragma weak pthread_rwlock_clockwrlock
#pragma weak sem_clockwait

void race_atomic(uintptr_t addr, size_t len, int writes, int releases, uintptr_t pc);
void race_atomic_seen(uintptr_t addr);
void race_thread_begin(uint64_t name, uintptr_t stack, size_t bytes);
void race_thread_end(uint64_t name);

/* ---- memory that is new */

void *__wrap_malloc(size_t n) { return fresh(malloc(n), n); }
void *__wrap_calloc(size_t n, size_t size) { return fresh(calloc(n, size), n * size); }
void *__wrap_realloc(void *at, size_t n) { return fresh(realloc(at, n), n); }
void *__wrap_aligned_alloc(size_t align, size_t n) { return fresh(aligned_alloc(align, n), n); }

int __wrap_posix_memalign(void **at, size_t align, size_t n)
{
    int error = posix_memalign(at, align, n);
    if (!error)
        fresh(*at, n);
    return error;
}

/* operator new and operator new[] */
void *_Znwm(size_t) __attribute__((weak));
void *_Znam(size_t) __attribute__((weak));
void *__wrap__Znwm(size_t n) { return fresh(_Znwm(n), n); }
void *__wrap__Znam(size_t n) { return fresh(_Znam(n), n); }

/* ---- threads */

struct start {
    void *(*run)(void *);
    void *arg;
    uint64_t name;
};

static uint64_t of_thread(pthread_t thread) { return (uint64_t)thread ^ 0x7468726561640000u; }

/* Destructors of a thread's own values are the program's code, too. So a thread ends in a destructor of the runtime's
 * own, which comes again until the last round. (Those of C++ come before all rounds.) */
static pthread_key_t ends;
static int ends_by_key;

__attribute__((constructor)) static void make_key(void);

static void end(void *round)
{
    if ((intptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(ends, (char *)round + 1) == 0)
        return;
    race_thread_end(of_thread(pthread_self()));
}

static void make_key(void) { ends_by_key = pthread_key_create(&ends, end) == 0; }

static void *begin(void *at)
{
    struct start start = *(struct start *)at;
    pthread_attr_t attr;
    void *stack = NULL, *result;
    size_t bytes = 0;
    free(at);
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &stack, &bytes);
        pthread_attr_destroy(&attr);
    }
    race_thread_begin(start.name, (uintptr_t)stack, bytes);
    if (ends_by_key && pthread_setspecific(ends, (void *)1) == 0)
        return start.run(start.arg);
    pthread_cleanup_push(end, (void *)PTHREAD_DESTRUCTOR_ITERATIONS);
    result = start.run(start.arg);
    pthread_cleanup_pop(1);
    return result;
}

/* In place of the C library's, also for calls out of libraries: the C++ and OpenMP libraries make threads, too. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    struct start *start;
    if (!real)
        return ENOSYS;
    if (oshmpi_race_stack()->inside)
        return real(thread, attr, run, arg);
    oshmpi_race_threads = 1;
    if (!(start = malloc(sizeof *start)))
        return real(thread, attr, run, arg);
    /* A thread that is made before the library is up is noted from then on. */
    *start = (struct start){run, arg, race_fresh()};
    if (oshmpi_race_on) {
        race_many();
        race_release(start->name);
    }
    uint64_t name = start->name;
    int error = real(thread, attr, begin, start);
    if (error) {
        if (oshmpi_race_on)
            race_forget(name, 1);
        free(start);
    }
    return error;
}

static void joined(uint64_t name)
{
    race_acquire(name);
    race_forget(name, 1);
}

int pthread_join(pthread_t thread, void **result)
{
    int (*real)(pthread_t, void **);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_join");
    int error = real ? real(thread, result) : ENOSYS;
    if (!error && oshmpi_race_on && oshmpi_race_many && !oshmpi_race_stack()->inside)
        joined(of_thread(thread));
    return error;
}

static int ordered(void) { return oshmpi_race_many && noted(); }
static uint64_t of(const volatile void *at) { return (uint64_t)(uintptr_t)at; }

/* A call that takes `lock`, by its parameters and arguments. */
#define LOCKS_BY(name, parameters, arguments)    \
    int __wrap_##name parameters                 \
    {                                            \
        int error = name arguments;              \
        if (!error && ordered())                 \
            race_acquire(of(lock));              \
        return error;                            \
    }
#define LOCKS(name, type) LOCKS_BY(name, (type *lock), (lock))
#define LOCKS_UNTIL(name, type) LOCKS_BY(name, (type *lock, const struct timespec *until), (lock, until))
#define LOCKS_BY_CLOCK(name, type) \
    LOCKS_BY(name, (type *lock, clockid_t clock, const struct timespec *until), (lock, clock, until))
#define UNLOCKS(name, type)                      \
    int __wrap_##name(type *lock)                \
    {                                            \
        if (ordered())                           \
            race_release(of(lock));              \
        return name(lock);                       \
    }
LOCKS(pthread_mutex_lock, pthread_mutex_t)
LOCKS(pthread_mutex_trylock, pthread_mutex_t)
UNLOCKS(pthread_mutex_unlock, pthread_mutex_t)
LOCKS(pthread_spin_lock, pthread_spinlock_t)
LOCKS(pthread_spin_trylock, pthread_spinlock_t)
UNLOCKS(pthread_spin_unlock, pthread_spinlock_t)
LOCKS(sem_wait, sem_t)
LOCKS(sem_trywait, sem_t)
UNLOCKS(sem_post, sem_t)

LOCKS_UNTIL(pthread_mutex_timedlock, pthread_mutex_t)
LOCKS_UNTIL(sem_timedwait, sem_t)

/* Locks for readers and writers. A writer learns from all before it, a reader only from writers: readers are not
 * ordered among themselves. So what readers release has a name of its own. */
static uint64_t of_readers(const pthread_rwlock_t *lock) { return of(lock) + 1; }

/* The locks that the thread holds to write. */
enum { MOST_WRITTEN = 32 };
static __thread const pthread_rwlock_t *written[MOST_WRITTEN];

static int write_locked(const pthread_rwlock_t *lock, int error)
{
    if (!error) {
        for (int i = 0; i < MOST_WRITTEN; i++) {
            if (!written[i]) {
                written[i] = lock;
                break;
            }
        }
    }
    if (!error && ordered()) {
        race_acquire(of(lock));
        race_acquire(of_readers(lock));
    }
    return error;
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    uint64_t name = of_readers(lock);
    for (int i = 0; i < MOST_WRITTEN; i++) {
        if (written[i] == lock) {
            written[i] = NULL;
            name = of(lock);
            break;
        }
    }
    if (ordered())
        race_release(name);
    return pthread_rwlock_unlock(lock);
}

#define WRITE_LOCKS(name, parameters, arguments) \
    int __wrap_##name parameters { return write_locked(lock, name arguments); }
LOCKS(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCKS(pthread_rwlock_tryrdlock, pthread_rwlock_t)
LOCKS_UNTIL(pthread_rwlock_timedrdlock, pthread_rwlock_t)
WRITE_LOCKS(pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock))
WRITE_LOCKS(pthread_rwlock_trywrlock, (pthread_rwlock_t *lock), (lock))
WRITE_LOCKS(pthread_rwlock_timedwrlock, (pthread_rwlock_t *lock, const struct timespec *until), (lock, until))
#if __GLIBC_PREREQ(2, 30)
LOCKS_BY_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t)
WRITE_LOCKS(pthread_rwlock_clockwrlock, (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until),
            (lock, clock, until))
#endif

/* What orders nobody any more. */
#define DESTROYS(name, type, names)              \
    int __wrap_##name(type *lock)                \
    {                                            \
        if (ordered())                           \
            race_forget(of(lock), names);        \
        return name(lock);                       \
    }
DESTROYS(pthread_mutex_destroy, pthread_mutex_t, 1)
DESTROYS(pthread_rwlock_destroy, pthread_rwlock_t, 2)
DESTROYS(pthread_spin_destroy, pthread_spinlock_t, 1)
DESTROYS(pthread_barrier_destroy, pthread_barrier_t, 1)
DESTROYS(sem_destroy, sem_t, 1)

/* A wait for a condition, which gives `lock` away and takes it again; or for all at a barrier, which is its `lock`. */
#define WAITS(name, parameters, arguments)       \
    int __wrap_##name parameters                 \
    {                                            \
        if (ordered())                           \
            race_release(of(lock));              \
        int error = name arguments;              \
        if (ordered())                           \
            race_acquire(of(lock));              \
        return error;                            \
    }
WAITS(pthread_barrier_wait, (pthread_barrier_t *lock), (lock))
WAITS(pthread_cond_wait, (pthread_cond_t *cond, pthread_mutex_t *lock), (cond, lock))
WAITS(pthread_cond_timedwait, (pthread_cond_t *cond, pthread_mutex_t *lock, const struct timespec *until),
      (cond, lock, until))

/* Those of glibc 2.30. */
#if __GLIBC_PREREQ(2, 30)
LOCKS_BY_CLOCK(pthread_mutex_clocklock, pthread_mutex_t)
LOCKS_BY_CLOCK(sem_clockwait, sem_t)
WAITS(pthread_cond_clockwait,
      (pthread_cond_t *cond, pthread_mutex_t *lock, clockid_t clock, const struct timespec *until),
      (cond, lock, clock, until))
#endif

/* std::condition_variable::wait(std::unique_lock<std::mutex> &) of libstdc++, which calls pthread_cond_wait itself. The
 * lock begins with the address of the mutex, which is a pthread_mutex_t. */
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *cond, void **lock) __attribute__((weak));
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *cond, void **lock)
{
    if (ordered())
        race_release(of(*lock));
    _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(cond, lock);
    if (ordered())
        race_acquire(of(*lock));
}

/* What is done once. Who does it releases, and who comes later acquires. */
static __thread struct {
    pthread_once_t *once;
    void (*init)(void);
} once_here;

static void init_once(void)
{
    pthread_once_t *once = once_here.once;
    once_here.init();
    if (ordered())
        race_release(of(once));
}

int __wrap_pthread_once(pthread_once_t *once, void (*init)(void))
{
    once_here.once = once;
    once_here.init = init;
    int error = pthread_once(once, init_once);
    if (!error && ordered())
        race_acquire(of(once));
    return error;
}

/* Static variables of C++ functions. The compiler's code looks at the guard's first byte by an atomic load. */
int __cxa_guard_acquire(uint64_t *guard) __attribute__((weak));
void __cxa_guard_release(uint64_t *guard) __attribute__((weak));

int __wrap___cxa_guard_acquire(uint64_t *guard)
{
    int is_first = __cxa_guard_acquire(guard);
    if (!is_first && ordered())
        race_atomic_seen(of(guard));
    return is_first;
}

void __wrap___cxa_guard_release(uint64_t *guard)
{
    if (ordered())
        race_atomic(of(guard), 1, 1, 1, PC);
    __cxa_guard_release(guard);
}
