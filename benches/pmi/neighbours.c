/* How long it takes until every process has what others have put. Started by `cargo xtask bench pmi` and `bench papers`
 * under oshrun. Prints rows for xtask/src/bench/pmi.rs: medians over rounds, means over the processes.
 *
 * usage: neighbours neighbours X    the value of one process of another node
 *        neighbours broadcast X     the value of process 0
 *        neighbours exchange X      what a start can exchange: operations alone, the values of all, a ring
 * X is printed in the rows: the number of nodes or of processes. */
#define _POSIX_C_SOURCE 200809L
#include "pmi2.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 21 };

/* This process puts its value, and reads that of `other`. */
static int rank, size, other, puts_one = 1;

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "neighbours: rank %d: %s\n", rank, what);
        PMI2_Abort(1, what);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

/* When the clock of this round started. */
static double begun;

static void fence(void)
{
    check(PMI2_KVS_Fence() == PMI2_SUCCESS, "fence");
}

static void put(const char *form, int round, int hint)
{
    char key[64];
    snprintf(key, sizeof key, form, round, rank);
    check(PMIX_KVS_Put(key, "0123456789abcdef0123456789abcdef", hint) == PMI2_SUCCESS, "put");
}

static void get(const char *form, int round, int from, int hint)
{
    char key[64], value[64];
    int len, got;
    snprintf(key, sizeof key, form, round, from);
    if (hint == PMIX_SPARSE)
        got = PMIX_KVS_Get(key, value, sizeof value, &len);
    else
        got = PMIX_KVS_Get_from(from, key, value, sizeof value, &len);
    check(got == PMI2_SUCCESS && len == 32, "get");
}

/* The value of one other process. */
static void exchange(const char *form, int round, int hint)
{
    if (puts_one)
        put(form, round, hint);
    if (hint == PMIX_DENSE)
        fence();
    get(form, round, other, hint);
}

/* The time of a round, in microseconds. No other round has this number. */
static double way(const char *word, int round)
{
    char left[64], right[64];
    const char *all;
    int place, ranks, r;
    double took;
    if (strcmp(word, "fence") == 0)
        exchange("key.%d.%d", round, PMIX_DENSE);
    else if (strcmp(word, "hash") == 0)
        exchange("key.%d.%d", round, PMIX_SPARSE);
    else if (strcmp(word, "at-rank") == 0)
        exchange("key.%d@%d", round, PMIX_SPARSE);
    else if (strcmp(word, "direct") == 0)
        exchange("key.%d.%d", round, PMIX_DIRECT);
    else if (strcmp(word, "ring") == 0)
        check(PMIX_Ring("0123456789abcdef0123456789abcdef", &place, &ranks, left, right, 64) == PMI2_SUCCESS, "ring");
    else if (strcmp(word, "gather") == 0)
        check(PMIX_Allgather("0123456789abcdef0123456789abcdef", 40, &all) == PMI2_SUCCESS, "allgather");
    else {
        put("key.%d.%d", round, PMIX_DENSE);
        if (strcmp(word, "put") == 0) {
            took = now() - begun;
            fence();
            return took;
        }
        if (strcmp(word, "fence-alone") == 0)
            begun = now();
        fence();
        if (strcmp(word, "gets") == 0)
            begun = now();
        if (strcmp(word, "fence-alone") != 0)
            for (r = 0; r < size; r++)
                get("key.%d.%d", round, r, PMIX_DENSE);
    }
    return now() - begun;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const char *const neighbours[] = {"fence", "hash", "at-rank", "direct", "ring", NULL};
    static const char *const broadcast[] = {"fence", "hash", "direct", NULL};
    static const char *const parts[] = {"put", "fence-alone", "gets", "put-fence-gets", "gather", "ring", NULL};
    const char *const *words = neighbours;
    double took[ROUNDS], sum;
    char key[64], value[64];
    int spawned, appnum, len, i, r;
    check(PMI2_Init(&spawned, &size, &rank, &appnum) == PMI2_SUCCESS && argc == 3, "init");
    other = (rank + size / 2) % size;
    if (strcmp(argv[1], "broadcast") == 0) {
        words = broadcast;
        other = 0;
        puts_one = rank == 0;
    } else if (strncmp(argv[1], "exchange", 8) == 0)
        words = parts;
    for (i = 0; words[i] != NULL; i++) {
        for (r = 0; r < ROUNDS; r++) {
            fence();
            begun = now();
            took[r] = way(words[i], i * ROUNDS + r);
        }
        qsort(took, ROUNDS, sizeof *took, ascending);
        snprintf(key, sizeof key, "took.%d.%d", i, rank);
        snprintf(value, sizeof value, "%f", took[ROUNDS / 2]);
        check(PMI2_KVS_Put(key, value) == PMI2_SUCCESS && PMI2_KVS_Fence() == PMI2_SUCCESS, "put");
        for (r = 0, sum = 0; rank == 0 && r < size; r++) {
            snprintf(key, sizeof key, "took.%d.%d", i, r);
            check(PMI2_KVS_Get(NULL, r, key, value, sizeof value, &len) == PMI2_SUCCESS, "get");
            sum += atof(value);
        }
        if (rank == 0)
            printf("%s %s %s %f\n", argv[1], words[i], argv[2], sum / size);
    }
    return PMI2_Finalize() == PMI2_SUCCESS ? 0 : 1;
}
