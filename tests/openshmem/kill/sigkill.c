/* One PE (or `all`) is killed with SIGKILL at the moment the first argument names; a second argument delays it by so
 * many microseconds, so that it falls somewhere inside a call. The job must end, and leave nothing behind: that is what
 * the runner looks at.
 *   before   before shmem_init          init     while in shmem_init        after    right after it
 *   barrier  in barriers                traffic  amid puts and AMOs         alloc    in allocation calls
 *   finalize in shmem_finalize          phases   amid init and finalize     all      every PE, amid barriers
 *   segv, abort  dies of its own        term     SIGTERM instead of SIGKILL
 * rules: 60 67 */
#include "check.h"

static long box, sum;

/* The kernel sends the signal after `us` microseconds, wherever this process is by then. */
static void kill_me_later(long us, int sig)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig};
    struct itimerspec once = {.it_value = {us / 1000000, us % 1000000 * 1000 + 1}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &once, NULL) != 0)
        fputs("check.h: no timer\n", stderr);
}

int main(int argc, char **argv)
{
    const char *moment = argc > 1 ? argv[1] : "after";
    long us = argc > 2 ? atol(argv[2]) : 0;
    int victim = !strcmp(moment, "all") || t_launched_as() == 1;
    t_alarm();
    if (!strcmp(moment, "before") && victim) {
        usleep((useconds_t)us);
        raise(SIGKILL);
    }
    if (!strcmp(moment, "init") && victim)
        kill_me_later(us, SIGKILL);
    if (!strcmp(moment, "phases")) {
        if (victim)
            kill_me_later(us, SIGKILL);
        for (;;) {
            shmem_init();
            shmem_finalize();
        }
    }
    shmem_init();
    t_begin();
    if (!strcmp(moment, "after") && victim)
        raise(SIGKILL);
    if (!strcmp(moment, "segv") && victim)
        *(volatile int *)(uintptr_t)(8 * (us + 1)) = 1;
    if (!strcmp(moment, "abort") && victim)
        abort();
    if (!strcmp(moment, "finalize")) {
        if (victim) {
            usleep(50000);
            raise(SIGKILL);
        }
        shmem_finalize();
        return 0;
    }
    if (victim)
        kill_me_later(us, !strcmp(moment, "term") ? SIGTERM : SIGKILL);
    for (long r = 0;; r++) {
        if (!strcmp(moment, "alloc"))
            shmem_free(shmem_malloc(4096 + (size_t)(r % 100) * 100));
        else if (!strcmp(moment, "traffic")) {
            shmem_long_p(&box, r, t_right());
            shmem_long_atomic_add(&sum, 1, t_right());
            if (r % 1000 == 0)
                shmem_quiet();
        } else
            shmem_barrier_all();
    }
}
