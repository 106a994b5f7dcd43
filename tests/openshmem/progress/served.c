/* A PE that computes, sleeps or waits in a system call serves puts, gets and AMOs all the while: PE 0 does nothing but
 * look at its own memory until the others have finished everything on it, and tell so by a put.
 * Argument: spin, sleep, read.
 * rules: 46 47 48 */
#include "check.h"

#include <sys/timerfd.h>

/* Words up to BULK are for single values, one place per PE; the rest for long transfers of PE 1. */
enum { ROUNDS = 300, N = 5000, BULK = 1000 };
static long box[N], sum, finished, told;
static volatile long spoiler;

static void work(long *words, long *adder)
{
    static long mine[N - BULK], back[N - BULK];
    for (long r = 0; r < ROUNDS; r++) {
        long at = t_me * 100;
        shmem_long_p(&words[at], r, 0);
        shmem_quiet();
        CHECK_EQ(shmem_long_g(&words[at], 0), r);
        shmem_long_atomic_fetch_add(adder, 1, 0);
        shmem_long_atomic_add(adder, 1, 0);
        shmem_quiet();
    }
    if (t_me == 1) {
        t_fill(mine, sizeof mine, 5);
        shmem_putmem_nbi(words + BULK, mine, sizeof mine, 0);
        shmem_quiet();
        shmem_getmem(back, words + BULK, sizeof back, 0);
        CHECK_PATTERN(back, sizeof back, 5);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "spin";
    long *heap;
    t_init();
    heap = t_malloc((N + 1) * sizeof *heap);
    memset(heap, 0, (N + 1) * sizeof *heap);
    shmem_barrier_all();
    if (t_me != 0) {
        work(box, &sum);
        work(heap, &heap[N]);
        /* The last one to finish tells PE 0, by a plain put. */
        if (shmem_long_atomic_fetch_add(&finished, 1, 0) == t_npes - 2) {
            shmem_long_p(&told, 1, 0);
            shmem_quiet();
        }
    } else {
        if (!strcmp(how, "spin"))
            while (*(volatile long *)&told == 0)
                for (int i = 0; i < 1000; i++)
                    spoiler = spoiler * 7 + i;
        else if (!strcmp(how, "sleep"))
            while (*(volatile long *)&told == 0)
                usleep(20000);
        else {
            /* read() of a timer sleeps in the kernel for a second. */
            struct itimerspec once = {.it_value.tv_sec = 1};
            int timer = timerfd_create(CLOCK_MONOTONIC, 0);
            uint64_t ticks;
            do {
                CHECK_EQ(timerfd_settime(timer, 0, &once, NULL), 0);
                CHECK_EQ(read(timer, &ticks, sizeof ticks), sizeof ticks);
            } while (*(volatile long *)&told == 0);
        }
        CHECK_EQ(sum, 2L * ROUNDS * (t_npes - 1));
        CHECK_EQ(heap[N], 2L * ROUNDS * (t_npes - 1));
    }
    shmem_barrier_all();
    return t_done();
}
