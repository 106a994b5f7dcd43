/* Batches of calls, and their median. No MPI and no OpenSHMEM here. */
#ifndef FAR_TIMED_H
#define FAR_TIMED_H

#include "../common/bench.h"

/* Few enough calls that a batch fits between two turns of other processes, many enough batches for a median. */
enum { BATCHES = 41, LARGEST = 1 << 20 };

static inline double batch_us(void (*call)(size_t), size_t size, long times)
{
    double start = bench_now_us();
    for (long i = 0; i < times; i++)
        call(size);
    return (bench_now_us() - start) / (double)times;
}

static inline long times_of(size_t size, long iterations)
{
    return size <= BENCH_LARGE ? iterations : iterations / 10 + 1;
}

/* Columns: operation, bytes, microseconds. */
static inline void row_alone(const char *name, size_t size, long times, void (*call)(size_t))
{
    double us[BATCHES];
    batch_us(call, size, times / 2 + 2);
    for (int i = 0; i < BATCHES; i++)
        us[i] = batch_us(call, size, times);
    printf("%-14s %8zu %10.2f\n", name, size, bench_median(us, BATCHES));
    fflush(stdout);
}

#endif
