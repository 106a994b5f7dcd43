/* Handlers of signals. They may do what the program does, and interrupt the detector where it holds a lock or changes
 * something. So a signal that comes while its thread is in the detector waits until the thread leaves: for some
 * microseconds, in which the kernel keeps the next ones. A signal of a fault cannot wait. */

#define _GNU_SOURCE
#include "wrap.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

/* What the program has set. */
static struct sigaction handlers[NSIG];

/* Signals that wait: one, and those that have come before it could have the others kept. */
enum { WAITING = 4 };
static __thread struct {
    int number[WAITING];
    siginfo_t info[WAITING];
    sigset_t mask;
} waiting __attribute__((tls_model("initial-exec")));

static int is_fault(int signal, const siginfo_t *info)
{
    return info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
                                 signal == SIGTRAP || signal == SIGSYS);
}

static void handle(int signal, siginfo_t *info, void *context)
{
    struct stack *stack = oshmpi_race_stack();
    const struct sigaction *to = &handlers[signal];
    /* The interrupted code may be at work with these. */
    uint32_t depth = stack->depth;
    uint64_t hash = stack->hash;
    if (to->sa_flags & SA_SIGINFO)
        to->sa_sigaction(signal, info, context);
    else
        to->sa_handler(signal);
    stack->depth = depth;
    stack->hash = hash;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    struct stack *stack = oshmpi_race_stack();
    ucontext_t *interrupted = context;
    if (!stack->busy || stack->waiting == WAITING || is_fault(signal, info)) {
        handle(signal, info, context);
        return;
    }
    waiting.number[stack->waiting] = signal;
    waiting.info[stack->waiting] = *info;
    /* If one has come between, this one began before it: its mask is that of the detector. */
    waiting.mask = interrupted->uc_sigmask;
    stack->waiting++;
    /* In place when this function returns. */
    sigfillset(&interrupted->uc_sigmask);
    sigdelset(&interrupted->uc_sigmask, SIGSEGV);
    sigdelset(&interrupted->uc_sigmask, SIGBUS);
}

/* The thread has left the detector. */
HIDDEN void oshmpi_race_run_waiting(void)
{
    struct stack *stack = oshmpi_race_stack();
    const __typeof__(waiting) all = waiting;
    const uint32_t n = stack->waiting;
    const int error = errno;
    ucontext_t context;
    stack->waiting = 0;
    getcontext(&context);
    for (uint32_t i = 0; i < n; i++) {
        sigset_t mask;
        siginfo_t info = all.info[i];
        const struct sigaction *to = &handlers[all.number[i]];
        sigorset(&mask, &all.mask, &to->sa_mask);
        if (!(to->sa_flags & SA_NODEFER))
            sigaddset(&mask, all.number[i]);
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
        handle(all.number[i], &info, &context);
    }
    pthread_sigmask(SIG_SETMASK, &all.mask, NULL);
    errno = error;
}

int __wrap_sigaction(int signal, const struct sigaction *new, struct sigaction *old)
{
    if (signal < 1 || signal >= NSIG)
        return sigaction(signal, new, old);
    const struct sigaction before = handlers[signal];
    struct sigaction set, now;
    const int is_handler = new && new->sa_handler != SIG_DFL && new->sa_handler != SIG_IGN;
    if (is_handler) {
        handlers[signal] = set = *new;
        set.sa_sigaction = on_signal;
        set.sa_flags |= SA_SIGINFO;
    }
    int error = sigaction(signal, is_handler ? &set : new, &now);
    if (error && is_handler)
        handlers[signal] = before;
    if (!error && old)
        *old = now.sa_sigaction == on_signal ? before : now;
    return error;
}

static sighandler_t set(int signal, sighandler_t handler, int flags)
{
    struct sigaction new = {.sa_handler = handler, .sa_flags = flags}, old;
    sigemptyset(&new.sa_mask);
    return __wrap_sigaction(signal, &new, &old) ? SIG_ERR : old.sa_handler;
}

sighandler_t __wrap_signal(int signal, sighandler_t handler) { return set(signal, handler, SA_RESTART); }
sighandler_t __wrap___sysv_signal(int signal, sighandler_t handler)
{
    return set(signal, handler, (int)(SA_RESETHAND | SA_NODEFER));
}
