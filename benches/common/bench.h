/*
 * What every benchmark program shares: options, sizes, the clock, the timed loop, the columns.
 * No MPI and no OpenSHMEM here. Times are microseconds; the columns are those of the OSU benchmarks, with more
 * digits, because an 8-byte put inside a node takes a few nanoseconds.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Sizes up to this one take the full number of iterations, larger ones a hundredth of it. */
#define BENCH_LARGE 8192
/* The largest message a program has buffers for. */
#define BENCH_MAX_SIZE ((size_t)1 << 20)

struct bench_options {
    const char *variant; /* the word before the options: heap, global, put, ... */
    size_t min, max;     /* message sizes in bytes; they double from min to max */
    long iterations;     /* timed iterations of a small message */
};

/* The largest number of batches that the timed iterations are split into. */
#define BENCH_BATCHES 10

struct bench_counts {
    long warm, timed; /* iterations, without and with the clock */
    long batches;     /* the timed ones are clocked in this many batches */
};

static inline void bench_usage(const char *program, const char *variants)
{
    fprintf(stderr, "usage: %s %s [-m MIN:MAX] [-i ITERATIONS]\n", program, variants);
    exit(2);
}

/* Reads "-m MIN:MAX" and "-i N" and one word out of `variants` ("heap|global"; NULL: the program takes no word). */
static inline struct bench_options bench_parse(int argc, char **argv, const char *variants, long iterations)
{
    struct bench_options o = {NULL, 1, BENCH_MAX_SIZE, iterations};
    const char *shown = variants ? variants : "";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-m") == 0 && i + 1 < argc) {
            char *colon;
            o.min = strtoul(argv[++i], &colon, 10);
            o.max = *colon == ':' ? strtoul(colon + 1, &colon, 10) : 0;
            if (*colon != '\0' || o.min == 0 || o.max < o.min || o.max > BENCH_MAX_SIZE)
                bench_usage(argv[0], shown);
        } else if (strcmp(argv[i], "-i") == 0 && i + 1 < argc) {
            char *end;
            o.iterations = strtol(argv[++i], &end, 10);
            if (*end != '\0' || o.iterations < 1)
                bench_usage(argv[0], shown);
        } else {
            /* A word counts only if it stands in `variants` from one bar to the next. */
            size_t len = strlen(argv[i]);
            for (const char *v = variants; v != NULL; v = strchr(v, '|') ? strchr(v, '|') + 1 : NULL)
                if (len > 0 && strncmp(v, argv[i], len) == 0 && (v[len] == '|' || v[len] == '\0'))
                    o.variant = argv[i];
            if (o.variant != argv[i])
                bench_usage(argv[0], shown);
        }
    }
    if (variants != NULL && o.variant == NULL)
        bench_usage(argv[0], shown);
    return o;
}

/*
 * A tenth of the iterations runs untimed first. The rest is split into batches whose median counts, so that a
 * batch in which the process lost its core does not.
 */
static inline struct bench_counts bench_counts(long timed)
{
    struct bench_counts c = {timed / 10 + 2, timed, timed < BENCH_BATCHES ? 1 : BENCH_BATCHES};
    return c;
}

/*
 * One batch: the mean over everything. For operations that wait for other processes, where losing the core is
 * part of what is measured.
 */
static inline struct bench_counts bench_counts_mean(long timed)
{
    struct bench_counts c = {timed / 10 + 2, timed, 1};
    return c;
}

static inline struct bench_counts bench_counts_for(const struct bench_options *o, size_t size)
{
    long large = o->iterations / 100;
    return bench_counts(size <= BENCH_LARGE ? o->iterations : large > 0 ? large : 1);
}

static inline double bench_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int bench_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double bench_median(double *values, long n)
{
    qsort(values, (size_t)n, sizeof *values, bench_ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/*
 * The timed loop, the only one. OP runs as COUNTS says; TAIL ends each batch before the clock stops (a quiet that
 * completes the batch, or nothing). Afterwards US holds microseconds per OP. OP may use bench_i, the iteration, and
 * BENCH_UNTIMED. A macro, so that OP's call is made directly, as in a user's program.
 */
#define BENCH_TIME(US, COUNTS, OP, TAIL)                                                    \
    do {                                                                                    \
        struct bench_counts bench_c = (COUNTS);                                             \
        double bench_us[BENCH_BATCHES], bench_paused = 0.0;                                 \
        long bench_each = bench_c.timed / bench_c.batches;                                  \
        for (long bench_i = 0; bench_i < bench_c.warm; bench_i++) { OP; }                   \
        TAIL;                                                                               \
        for (long bench_b = 0; bench_b < bench_c.batches; bench_b++) {                      \
            bench_paused = 0.0;                                                             \
            double bench_start = bench_now_us();                                            \
            for (long bench_i = 0; bench_i < bench_each; bench_i++) { OP; }                 \
            TAIL;                                                                           \
            double bench_all = bench_now_us() - bench_start;                                \
            bench_us[bench_b] = (bench_all - bench_paused) / (double)bench_each;            \
        }                                                                                   \
        (US) = bench_median(bench_us, bench_c.batches);                                     \
    } while (0)

/* Stops the clock of the timed loop while X runs; only inside OP. One reading of the clock stays in the time. */
#define BENCH_UNTIMED(X)                                    \
    do {                                                    \
        double bench_stopped = bench_now_us();              \
        X;                                                  \
        bench_paused += bench_now_us() - bench_stopped;     \
    } while (0)

/* Where processes wait for each other, a program looks at this many operations before it decides how many to time. */
#define BENCH_PROBE 10
/* ... and then spends about this long on a barrier: where processes outnumber cores, one can take 10 ms. */
#define BENCH_BARRIER_US 3e6
/* ... and this long on one message size of a collective or of a ping-pong. */
#define BENCH_SIZE_US 1e5
/* Their sizes grow by this factor: there are many of them, at several numbers of processes. */
#define BENCH_STEP 4
#define BENCH_STEP_MIN ((size_t)4)

/* The first size of such a loop. */
static inline size_t bench_first(const struct bench_options *o, size_t least)
{
    return o->min < least ? least : o->min;
}

/* How many operations to time if one takes `us`: as many as asked for, fewer if that took longer than `budget_us`. */
static inline long bench_affordable(long asked, double us, double budget_us)
{
    double fit = budget_us / us;
    return fit >= (double)asked ? asked : fit < BENCH_PROBE ? BENCH_PROBE : (long)fit;
}

/*
 * For operations between `processes` processes: the median of batches while everybody has a core. With fewer cores
 * losing the core is part of the operation, and the mean has it.
 */
static inline struct bench_counts bench_counts_shared(long timed, int processes)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return processes <= cores ? bench_counts(timed) : bench_counts_mean(timed);
}

/* A figure that every process has its own of, over all processes. */
struct bench_spread {
    double mean, min, max;
};

/* Stops the compiler from keeping memory in registers or from dropping a store across iterations. */
#define BENCH_COMPILER_BARRIER() __asm__ volatile("" ::: "memory")

static inline void bench_head_latency(const char *title)
{
    printf("# %s\n%-10s%20s\n", title, "# Size", "Latency (us)");
    fflush(stdout);
}

static inline void bench_row_latency(size_t size, double us)
{
    printf("%-10zu%20.4f\n", size, us);
    fflush(stdout);
}

static inline void bench_head_operation(const char *title)
{
    printf("# %s\n%-24s%20s%20s\n", title, "# Operation", "Million ops/s", "Latency (us)");
    fflush(stdout);
}

static inline void bench_row_operation(const char *operation, double us)
{
    printf("%-24s%20.4f%20.4f\n", operation, 1.0 / us, us);
    fflush(stdout);
}

static inline void bench_barrier_table(const char *title, struct bench_spread us, long iterations)
{
    printf("# %s\n%s%20s%20s%12s\n", title, "# Avg Latency(us)", "Min Latency(us)", "Max Latency(us)", "Iterations");
    printf("%17.4f%20.4f%20.4f%12ld\n", us.mean, us.min, us.max, iterations);
    fflush(stdout);
}

static inline void bench_head_spread(const char *title)
{
    printf("# %s\n%-10s%20s%20s%20s%12s\n", title, "# Size", "Avg Latency(us)", "Min Latency(us)", "Max Latency(us)",
           "Iterations");
    fflush(stdout);
}

static inline void bench_row_spread(size_t size, struct bench_spread us, long iterations)
{
    printf("%-10zu%20.4f%20.4f%20.4f%12ld\n", size, us.mean, us.min, us.max, iterations);
    fflush(stdout);
}

#endif
