/* What the programs here share: two processes, each on a core of its own, and how they are timed. Each program prints
 * two lines: a name, bytes, and microseconds a call in the fastest batch, which no other process has interrupted. */
#define _GNU_SOURCE
#include "../osu/bench.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A batch of puts ends with their completion at the target, which so many of them share. */
enum { BATCHES = 21, PUTS = 1000, ADDS = 100, ROOM = 1 << 16 };

static void time_calls(const char *name, int calls, void (*batch)(int calls))
{
    double fastest = 1e9;
    batch(calls);
    for (int i = 0; i < BATCHES; i++) {
        double start = bench_now_us();
        batch(calls);
        double us = (bench_now_us() - start) / calls;
        fastest = us < fastest ? us : fastest;
    }
    printf("%s 8 %.4f\n", name, fastest), fflush(stdout);
}

/* The socket to the other one of the two processes of a program that starts without a launcher. */
static int peer;

static inline void die(const char *what)
{
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

#define CHECK(call) do { if (call) die(#call); } while (0)

/* Begins the second process. Gives its number, 0 or 1. Both are bound to cores of their own where there are two. */
static inline int two_processes(void)
{
    int sockets[2], me;
    cpu_set_t all, one;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
    me = fork() == 0;
    peer = sockets[me], close(sockets[!me]);
    CHECK(sched_getaffinity(0, sizeof all, &all));
    for (int cpu = 0, n = 0; cpu < CPU_SETSIZE && CPU_COUNT(&all) > 1; cpu++)
        if (CPU_ISSET(cpu, &all) && n++ == me) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            CHECK(sched_setaffinity(0, sizeof one, &one));
        }
    return me;
}

/* Gives the other process bytes, and gets as many or as few from it. */
static inline size_t exchange(const void *mine, size_t len, void *its, size_t room)
{
    size_t its_len = 0;
    CHECK(write(peer, &len, sizeof len) != sizeof len || write(peer, mine, len) != (ssize_t)len);
    CHECK(recv(peer, &its_len, sizeof its_len, MSG_WAITALL) != sizeof its_len || its_len > room);
    CHECK(recv(peer, its, its_len, MSG_WAITALL) != (ssize_t)its_len);
    return its_len;
}

/* Whether the other process has said that it is done. */
static inline int is_over(void)
{
    char byte;
    return recv(peer, &byte, 1, MSG_DONTWAIT) >= 0;
}
