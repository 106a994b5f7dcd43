/*
 * What `cargo xtask scale --check` compares with the model: ways of messages, a round of the node, copies, and
 * collectives, all in one job, so that all share its machine and its load. One line each: name, bytes, microseconds.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LARGE (1 << 20)

static int me, npes;
static char *source, *dest;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void row(const char *name, size_t bytes, double us)
{
    if (me == 0)
        printf("%s %zu %.3f\n", name, bytes, us);
}

/* One way of a message between the two members of a team, each the root of a broadcast in turn. */
static double way(shmem_team_t pair, size_t bytes, int times)
{
    double begin = now();
    for (int i = 0; i < times; i++)
        shmem_broadcastmem(pair, dest, source, bytes, i % 2);
    return (now() - begin) / times;
}

/* The first PE and the one behind the middle alone, while the others wait; then all such pairs at once. */
static void ways(size_t bytes, int times)
{
    int half = npes / 2;
    shmem_team_t one = SHMEM_TEAM_INVALID, mine = SHMEM_TEAM_INVALID, none;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, half, 2, NULL, 0, &one);
    for (int first = 0; first < half; first++)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, first, half, 2, NULL, 0,
                                 me % half == first && me < 2 * half ? &mine : &none);
    double alone = 0, crowd = 0;
    if (one != SHMEM_TEAM_INVALID) {
        way(one, bytes, times / 4);
        alone = way(one, bytes, times);
    }
    shmem_barrier_all();
    if (mine != SHMEM_TEAM_INVALID) {
        way(mine, bytes, times / 4);
        crowd = way(mine, bytes, times);
    }
    shmem_barrier_all();
    row("way", bytes, alone);
    row("crowd", bytes, crowd);
    if (one != SHMEM_TEAM_INVALID)
        shmem_team_destroy(one);
    if (mine != SHMEM_TEAM_INVALID)
        shmem_team_destroy(mine);
}

enum call { BARRIER, BROADCAST, FCOLLECT, REDUCE, SCAN, ALLTOALL, MALLOC };
static const char *names[] = {"barrier", "broadcast", "fcollect", "reduce", "scan", "alltoall", "malloc"};

static void perform(enum call call, size_t bytes)
{
    long *to = (long *)dest, *from = (long *)source;
    size_t n = bytes / sizeof(long);
    switch (call) {
    case BARRIER: shmem_team_sync(SHMEM_TEAM_WORLD); break;
    case BROADCAST: shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, bytes, 0); break;
    case FCOLLECT: shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes); break;
    case REDUCE: shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, n); break;
    case SCAN: shmem_long_sum_inscan(SHMEM_TEAM_WORLD, to, from, n); break;
    case ALLTOALL: shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, bytes); break;
    case MALLOC: shmem_free(shmem_malloc(64)); break;
    }
}

static double timed(enum call call, size_t bytes, int times)
{
    double begin = now();
    for (int i = 0; i < times; i++) {
        shmem_team_sync(SHMEM_TEAM_WORLD);
        perform(call, bytes);
    }
    shmem_team_sync(SHMEM_TEAM_WORLD);
    return (now() - begin) / times;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 200;
    static const struct {
        enum call call;
        size_t bytes;
    } calls[] = {{BROADCAST, 8}, {BROADCAST, 65536}, {FCOLLECT, 8}, {FCOLLECT, 1024}, {REDUCE, 8},
                 {REDUCE, 65536}, {SCAN, 8},         {ALLTOALL, 8}, {MALLOC, 40}};
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    source = shmem_calloc(LARGE, 1);
    dest = shmem_calloc(LARGE, 1);
    row("pes", 0, npes);
    ways(8, times);
    ways(65536, times / 4 + 4);
    double begin = now();
    for (int i = 0; i < times; i++)
        shmem_team_sync(SHMEM_TEAM_SHARED);
    row("round", 0, (now() - begin) / times);
    begin = now();
    for (int i = 0; i < 16; i++)
        memcpy(dest, source, LARGE);
    row("copy", LARGE, (now() - begin) / 16);
    timed(BARRIER, 0, times / 4 + 1);
    double barrier = timed(BARRIER, 0, times) / 2;
    row(names[BARRIER], 0, barrier);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int fewer = calls[i].bytes > 4096 ? times / 4 + 1 : times;
        timed(calls[i].call, calls[i].bytes, 4);
        row(names[calls[i].call], calls[i].bytes, timed(calls[i].call, calls[i].bytes, fewer) - barrier);
    }
    shmem_free(source);
    shmem_free(dest);
    shmem_finalize();
    return 0;
}
