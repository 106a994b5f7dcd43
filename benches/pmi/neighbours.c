/* How long it takes until every process has the value of one process of another node, in five ways. Started by `cargo
 * xtask bench pmi` under oshrun. Prints rows for xtask/src/bench/pmi.rs: medians over rounds, means over the processes.
 * The argument is the number of nodes. */
#define _POSIX_C_SOURCE 200809L
#include "pmi2.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 21 };

static int rank, size, other;

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

/* Puts and gets in a round. `form` makes the key of a rank in this round. */
static void exchange(const char *form, int round, int hint)
{
    char mine[64], theirs[64], value[64];
    int len, got;
    snprintf(mine, sizeof mine, form, round, rank);
    snprintf(theirs, sizeof theirs, form, round, other);
    check(PMIX_KVS_Put(mine, "0123456789abcdef0123456789abcdef", hint) == PMI2_SUCCESS, "put");
    if (hint == PMIX_DENSE)
        check(PMI2_KVS_Fence() == PMI2_SUCCESS, "fence");
    if (hint == PMIX_SPARSE)
        got = PMIX_KVS_Get(theirs, value, sizeof value, &len);
    else
        got = PMIX_KVS_Get_from(other, theirs, value, sizeof value, &len);
    check(got == PMI2_SUCCESS && len == 32, "get");
}

static void way(const char *word, int round)
{
    char left[64], right[64];
    int place, ranks;
    if (strcmp(word, "fence") == 0)
        exchange("fence.%d.%d", round, PMIX_DENSE);
    else if (strcmp(word, "hash") == 0)
        exchange("hash.%d.%d.", round, PMIX_SPARSE);
    else if (strcmp(word, "at-rank") == 0)
        exchange("rank.%d@%d", round, PMIX_SPARSE);
    else if (strcmp(word, "direct") == 0)
        exchange("direct.%d.%d", round, PMIX_DIRECT);
    else
        check(PMIX_Ring("0123456789abcdef0123456789abcdef", &place, &ranks, left, right, 64) == PMI2_SUCCESS, "ring");
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"fence", "hash", "at-rank", "direct", "ring"};
    double took[ROUNDS], sum;
    char key[64], value[64];
    int spawned, appnum, len, i, r;
    check(PMI2_Init(&spawned, &size, &rank, &appnum) == PMI2_SUCCESS && argc == 2, "init");
    other = (rank + size / 2) % size;
    for (i = 0; i < 5; i++) {
        for (r = 0; r < ROUNDS; r++) {
            double begun;
            check(PMI2_KVS_Fence() == PMI2_SUCCESS, "fence");
            begun = now();
            way(words[i], r);
            took[r] = now() - begun;
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
            printf("neighbours %s %s %f\n", words[i], argv[1], sum / size);
    }
    return PMI2_Finalize() == PMI2_SUCCESS ? 0 : 1;
}
