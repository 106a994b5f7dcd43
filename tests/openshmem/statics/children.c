/* A process that is made without fork() has its own copy of the statics all the same: what it writes is not seen by the
 * parent nor by peers, and it is no PE. Also from a signal handler, and on a stack in static data.
 * rules: 29 269 */
#define _GNU_SOURCE
#include "check.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif
#if __GLIBC_PREREQ(2, 34)
#define HAVE_FORK_AT_ONCE 1
#endif

static long value = 1;
static char stack[1 << 16] __attribute__((aligned(16)));
static volatile sig_atomic_t handled;
static char *guard;

/* In the child: 0 if all is as it was in the parent, and what it changes is its own. */
static int child(void *argument)
{
    int pipe_ends[2], bad = value != *(long *)argument;
    for (long i = 0; i < 1000; i++)
        value++;
    /* a page that was made read-only still is */
    bad |= pipe(pipe_ends) != 0 || write(pipe_ends[1], "x", 1) != 1 || read(pipe_ends[0], guard, 1) != -1;
    shmem_finalize(); /* does nothing: this is no PE */
    return bad;
}

static void ended(const char *how, pid_t pid)
{
    int status = -1;
    t_what = how;
    CHECK(pid > 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    CHECK_EQ(value, 100 + t_me);
    t_what = "";
}

#define CHILD_OF(how, call)             \
    do {                                \
        pid_t made = (pid_t)(call);     \
        if (made == 0)                  \
            _exit(child(&expected));    \
        ended(how, made);               \
    } while (0)

static long expected;

#ifdef HAVE_FORK_AT_ONCE
static void on_signal(int sig)
{
    (void)sig;
    CHILD_OF("_Fork in a handler", _Fork());
    handled = 1;
}
#endif

int main(void)
{
    static char pages[3 * 65536];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    guard = (char *)(((uintptr_t)pages + page - 1) & ~(page - 1));
    CHECK_EQ(mprotect(guard, page, PROT_READ), 0);
    t_init();
    value = expected = 100 + t_me;
    shmem_barrier_all();
#ifdef HAVE_FORK_AT_ONCE
    CHILD_OF("_Fork", _Fork());
    signal(SIGUSR2, on_signal);
    raise(SIGUSR2);
    CHECK(handled);
#endif
    char *elsewhere = malloc(sizeof stack);
    ended("clone", clone(child, elsewhere + sizeof stack, SIGCHLD, &expected));
    ended("clone, static stack", clone(child, stack + sizeof stack, SIGCHLD, &expected));
    free(elsewhere);
#ifdef SYS_fork
    CHILD_OF("SYS_fork", syscall(SYS_fork));
#endif
    CHILD_OF("SYS_clone", syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
    {
        uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD};
        long third = syscall(SYS_clone3, arguments, sizeof arguments);
        if (third != -1) /* a filter may refuse it */
            CHILD_OF("SYS_clone3", third);
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&value, t_right()), 100 + (t_me + 1) % t_npes);
    shmem_barrier_all();
    return t_done();
}
