/* Handlers of signals. What they do is not noted: they may interrupt the detector where it holds a lock or changes
 * something. */

#define _GNU_SOURCE
#include "wrap.h"
#include <signal.h>

/* What the program has set. */
static struct sigaction handlers[NSIG];

static void on_signal(int signal, siginfo_t *info, void *context)
{
    struct stack *stack = oshmpi_race_stack();
    const struct sigaction *to = &handlers[signal];
    /* The interrupted code may be at work with these. */
    const uint32_t depth = stack->depth;
    const uint64_t hash = stack->hash;
    stack->inside++;
    if (to->sa_flags & SA_SIGINFO)
        to->sa_sigaction(signal, info, context);
    else
        to->sa_handler(signal);
    stack->inside--;
    stack->depth = depth;
    stack->hash = hash;
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
