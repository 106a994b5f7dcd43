/*
 * Ping-pongs, which OpenSHMEM and MPI programs share. The macro uses the program's job `j` (me, npes, options). BARRIER
 * is its barrier, SPREAD(&j, value) its figures over all processes.
 */
#ifndef BENCH_COMMON_WAITING_H
#define BENCH_COMMON_WAITING_H

#include "bench.h"

#define BENCH_PINGPONG_ITERATIONS 20000

/* Half a round trip: the active processes SEND, then AWAIT the answer; their partners the other way round. */
#define BENCH_PINGPONG_ROW(SIZE, ACTIVE, BARRIER, SPREAD, SEND, AWAIT)                                     \
    do {                                                                                                   \
        double us;                                                                                         \
        long iterations = BENCH_PROBE;                                                                     \
        /* First to see how many can be afforded, then for the table. */                                   \
        for (int table = 0; table < 2; table++) {                                                          \
            BARRIER;                                                                                       \
            if (ACTIVE)                                                                                    \
                BENCH_TIME(us, bench_counts_shared(iterations, j.npes), SEND; AWAIT, (void)0);             \
            else                                                                                           \
                BENCH_TIME(us, bench_counts_shared(iterations, j.npes), AWAIT; SEND, (void)0);             \
            struct bench_spread all = SPREAD(&j, us / 2);                                                  \
            if (table && j.me == 0)                                                                        \
                bench_row_spread(SIZE, all, iterations);                                                   \
            iterations = bench_affordable(j.options.iterations, 2 * all.max, BENCH_SIZE_US);               \
        }                                                                                                  \
    } while (0)

#endif
