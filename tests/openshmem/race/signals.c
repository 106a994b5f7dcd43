/* The race detector and handlers of signals, which it does not see. They load and store symmetric memory that is new to
 * the detector, and use atomics, while the program does so too. A timer's signal comes every 0.3 ms, wherever the
 * program is, until the handler has run as often as the argument says. Nothing is reported. Built with -oshmpi-race. */

#define _GNU_SOURCE
#include "log.h"
#include <errno.h>
#include <sys/time.h>

enum { PAGES = 4096, PAGE = 4096 };

static char ordered_main[PAGES * PAGE], ordered_handler[PAGES * PAGE];
static long ordered_count;
static volatile sig_atomic_t runs;
static long of_main, of_handler;

static void on_timer(int signal, siginfo_t *info, void *context)
{
    int error = errno;
    (void)context;
    CHECK(signal == SIGALRM && info->si_signo == SIGALRM);
    for (int i = 0; i < 3; i++)
        ordered_handler[of_handler++ * 97 % (PAGES * PAGE)]++;
    __atomic_fetch_add(&ordered_count, 1, __ATOMIC_SEQ_CST);
    runs++;
    errno = error;
}

int main(int argc, char **argv)
{
    long wanted = argc > 1 ? atol(argv[1]) : 500;
    struct itimerval every = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    struct sigaction set = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART}, now;
    log_start();
    setenv("OSHMPI_RACE", "exitcode=0", 1);
    t_init();
    CHECK(sigaction(SIGALRM, &set, NULL) == 0 && sigaction(SIGALRM, NULL, &now) == 0);
    CHECK(now.sa_sigaction == on_timer);
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
    long calls = 0;
    while (runs < wanted) {
        /* New pages, words and places, and memory of the C library. */
        for (int i = 0; i < 50; i++)
            ordered_main[of_main++ * 4099 % (PAGES * PAGE)]++;
        for (int i = 0; i < 20; i++) {
            __atomic_fetch_add(&ordered_count, 1, __ATOMIC_SEQ_CST);
            free(memset(malloc(100 + i), 0, 100));
            shmem_long_atomic_add((long *)&ordered_main[0], 1, t_me);
            shmem_long_atomic_add((long *)&ordered_main[0], -1, t_me);
            shmem_quiet();
            calls++;
        }
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK_EQ(ordered_count, calls + runs);
    shmem_barrier_all();
    char *log = log_text();
    CHECK(!strstr(log, "ordered"));
    free(log);
    return t_done();
}
