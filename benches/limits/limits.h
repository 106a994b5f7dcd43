/*
 * What the programs for the machine's limits share: two processes on two cores with one shared mapping, as two
 * PEs of one node have it, and nothing between them.
 */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../common/bench.h"
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define LIMITS_ITERATIONS 20000
#define LIMITS_LINE 64
/* Enough for programs that use a few words of the other process's memory. */
#define LIMITS_FEW_BYTES 65536

/* Flags of the pair, each on a cache line of its own. */
struct limits_flags {
    _Alignas(LIMITS_LINE) atomic_int child_ready;
    _Alignas(LIMITS_LINE) atomic_int stop;
    _Alignas(LIMITS_LINE) atomic_int ping;
    _Alignas(LIMITS_LINE) atomic_int pong;
};

struct limits_pair {
    int cores[2];               /* the first two cores this process may use; equal if there is only one */
    struct limits_flags *flags; /* shared */
    size_t bytes;               /* of each of the next two */
    char *mine, *theirs;        /* shared, page-aligned, written by their owner */
    pid_t child;
};

static void limits_die(const char *what)
{
    perror(what);
    exit(1);
}

static void limits_pin(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        limits_die("sched_setaffinity");
}

/* The first two cores this process was given. Asked once: after limits_pin there is only one left. */
static void limits_two_cores(int cores[2])
{
    static int known[2];
    static int found;
    cpu_set_t set;
    if (found > 0) {
        memcpy(cores, known, sizeof known);
        return;
    }
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        limits_die("sched_getaffinity");
    for (int core = 0; core < CPU_SETSIZE && found < 2; core++)
        if (CPU_ISSET(core, &set))
            known[found++] = core;
    if (found == 1)
        known[1] = known[0];
    memcpy(cores, known, sizeof known);
}

/* Memory without a name, mapped shared: what a symmetric heap on one node is made of. */
static char *limits_shared(size_t bytes)
{
    int fd = memfd_create("bench", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        limits_die("memfd_create");
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        limits_die("mmap");
    return p;
}

/* Waits like a PE in a barrier: looks at its flag, gives the core away now and then. */
static inline void limits_wait(atomic_int *flag, int value)
{
    for (unsigned turn = 1; atomic_load_explicit(flag, memory_order_acquire) != value; turn++)
        if (turn % 1024 == 0)
            sched_yield();
}

/*
 * Forks the other process, which touches its `bytes` (a multiple of the page), runs `body` (may be NULL) and waits to
 * be stopped.
 */
static inline struct limits_pair limits_start(size_t bytes, int child_core_index, void (*body)(struct limits_pair *))
{
    struct limits_pair p;
    limits_two_cores(p.cores);
    char *shared = limits_shared(2 * bytes + sizeof(struct limits_flags));
    p.bytes = bytes;
    p.mine = shared;
    p.theirs = shared + bytes;
    p.flags = (struct limits_flags *)(shared + 2 * bytes);
    fflush(stdout);
    p.child = fork();
    if (p.child < 0)
        limits_die("fork");
    if (p.child == 0) {
        limits_pin(p.cores[child_core_index]);
        memset(p.theirs, 'b', bytes);
        atomic_store(&p.flags->child_ready, 1);
        if (body != NULL)
            body(&p);
        limits_wait(&p.flags->stop, 1);
        _exit(0);
    }
    limits_pin(p.cores[0]);
    memset(p.mine, 'a', bytes);
    limits_wait(&p.flags->child_ready, 1);
    return p;
}

static inline void limits_end(struct limits_pair *p)
{
    int status;
    atomic_store(&p->flags->stop, 1);
    if (waitpid(p->child, &status, 0) < 0 || status != 0)
        limits_die("the other process");
}

#endif
