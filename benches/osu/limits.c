/*
 * The machine itself: two processes on two cores with one shared mapping, as two PEs of one node have it, and nothing
 * between them. `put` and `get` are memcpy to and from the other process's memory; `atomics` are the instructions that
 * atomics are made of. Rows as those of calls.c.
 */
#define _GNU_SOURCE
#include "bench.h"
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { WORDS = 512 };

static char *there, *here; /* shared, written by their owners */
static volatile long long sink;

static void pin(int which)
{
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    for (int core = 0, n = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &all) && n++ == which % CPU_COUNT(&all))
            CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* The compiler keeps no memory in registers, and drops no store. */
#define EACH(OP)                                               \
    for (long i = 0; i < times; i++) {                         \
        OP;                                                    \
        __asm__ volatile("" ::: "memory");                     \
    }

#define ROW(NAME, BYTES, OP)                                   \
    do {                                                       \
        double us[BENCH_BATCHES];                              \
        long times = 1;                                        \
        for (int b = -1; b < BENCH_BATCHES; b++) {             \
            double begun = bench_now_us(), took;               \
            EACH(OP)                                           \
            took = bench_now_us() - begun;                     \
            if (b >= 0)                                        \
                us[b] = took / (double)times;                  \
            else if (took < o.batch_us)                        \
                times *= 2, b--;                               \
        }                                                      \
        bench_row(NAME, BYTES, bench_median(us, BENCH_BATCHES)); \
    } while (0)

#define ATOMICS(LABEL, TYPE)                                                                            \
    do {                                                                                                \
        _Atomic(TYPE) *words = (_Atomic(TYPE) *)(void *)there;                                          \
        TYPE seen = 0, expected;                                                                        \
        ROW(LABEL "_fetch", 0, seen ^= atomic_load_explicit(&words[i % WORDS], memory_order_relaxed));  \
        ROW(LABEL "_set", 0, atomic_store_explicit(&words[i % WORDS], 7, memory_order_relaxed));        \
        for (int n = 0; n < 4; n++) {                                                                   \
            static const char *const names[] = {LABEL "_fadd", LABEL "_finc", LABEL "_add", LABEL "_inc"}; \
            ROW(names[n], 0, seen ^= atomic_fetch_add(&words[i % WORDS], 3));                           \
        }                                                                                               \
        ROW(LABEL "_swap", 0, seen ^= atomic_exchange(&words[i % WORDS], 5));                           \
        ROW(LABEL "_cswap", 0,                                                                          \
            (expected = 5, atomic_compare_exchange_strong(&words[i % WORDS], &expected, 5)));           \
        sink = seen;                                                                                    \
    } while (0)

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv);
    int fd = memfd_create("bench", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 2 * BENCH_LARGEST + 4096) != 0)
        return perror("memfd_create"), 1;
    here = mmap(NULL, 2 * BENCH_LARGEST + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (here == MAP_FAILED)
        return perror("mmap"), 1;
    there = here + BENCH_LARGEST;
    atomic_int *ready = (atomic_int *)(void *)(there + BENCH_LARGEST);
    pid_t child = fork();
    if (child == 0) {
        pin(1);
        memset(there, 'b', BENCH_LARGEST);
        for (*ready = 1;;)
            pause();
    }
    pin(0);
    memset(here, 'a', BENCH_LARGEST);
    while (child > 0 && !*ready)
        sched_yield();
    for (int s = 0; s < BENCH_SIZES; s++) {
        size_t bytes = bench_sizes[s];
        if (bytes < o.min || bytes > o.max)
            continue;
        if (bench_has(argc, argv, "put"))
            ROW("put", bytes, memcpy(there, here, bytes));
        if (bench_has(argc, argv, "get"))
            ROW("get", bytes, memcpy(here, there, bytes));
    }
    if (bench_has(argc, argv, "atomics")) {
        ATOMICS("long", long);
        ATOMICS("int", int);
    }
    kill(child, SIGKILL);
    return waitpid(child, NULL, 0) != child;
}
