/*
 * What every benchmark program shares: the clock, the median, the options. No MPI and no OpenSHMEM here. A program
 * prints a line for each call and size: name, bytes, microseconds of a call.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The largest message a program has buffers for. */
#define BENCH_LARGEST ((size_t)1 << 20)

/* Sizes of messages. */
static const size_t bench_sizes[] = {4, 8, 64, 512, 1024, 4096, 32768, 65536, BENCH_LARGEST};
enum { BENCH_SIZES = sizeof bench_sizes / sizeof *bench_sizes };

/* The clock is read before and behind a batch of calls. The median of the batches counts, so that a batch in which the
 * process lost its core does not. */
enum { BENCH_BATCHES = 11 };

struct bench_options {
    size_t min, max; /* sizes of messages */
    double batch_us; /* time of a batch */
};

/* Reads "-m MIN:MAX" and "-b MILLISECONDS"; the other words are the program's. */
static inline struct bench_options bench_parse(int argc, char **argv)
{
    struct bench_options o = {1, BENCH_LARGEST, 1e4};
    for (int i = 1; i < argc; i++) {
        int last = i + 1 == argc;
        if (strcmp(argv[i], "-m") == 0 && !last && sscanf(argv[i + 1], "%zu:%zu", &o.min, &o.max) == 2)
            i++;
        else if (strcmp(argv[i], "-b") == 0 && !last && (o.batch_us = 1e3 * strtod(argv[i + 1], NULL)) > 0)
            i++;
        else if (argv[i][0] == '-') {
            fprintf(stderr, "usage: %s WORD... [-m MIN:MAX] [-b MILLISECONDS]\n", argv[0]);
            exit(2);
        }
    }
    return o;
}

static inline int bench_has(int argc, char **argv, const char *word)
{
    while (--argc > 0)
        if (strcmp(argv[argc], word) == 0)
            return 1;
    return 0;
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

static inline void bench_row(const char *name, size_t bytes, double us)
{
    printf("%-18s %8zu %12.4f\n", name, bytes, us);
    fflush(stdout);
}

#endif
