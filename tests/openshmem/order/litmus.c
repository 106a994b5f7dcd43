/* Litmus tests of the memory model, as in the literature on processors: a few PEs do a few operations on the words x
 * and y, and some outcomes must never be seen. Each test runs many times, on words of its own each time; which PE plays
 * which part changes. Arguments: how many times; the name of one test, or "table", which prints the outcomes of all.
 * rules: 138 231 245 246 247 248 251 */
#include "check.h"

enum { BATCH = 256, REGISTERS = 4, OUTCOMES = 3 * 3 * 3 * 3, PARTS = 4 };
static long x[BATCH], y[BATCH];
static long own[REGISTERS * BATCH], all[REGISTERS * BATCH]; /* what this PE has read, and what all have */
static int pe[PARTS];                                           /* of each part */
static shmem_ctx_t other;

#define P(word, value, at) shmem_long_put(&(word)[i], &values[value], 1, pe[at])
#define PUT_NBI(word, at) shmem_long_put_nbi(&(word)[i], &values[1], 1, pe[at])
#define G(word, at) shmem_long_g(&(word)[i], pe[at])
#define TEST(word) (shmem_long_test(&(word)[i], SHMEM_CMP_NE, 0) != 0)
#define SET(word, at) shmem_long_atomic_set(&(word)[i], 1, pe[at])
#define ADD(word, at) shmem_long_atomic_fetch_add(&(word)[i], 1, pe[at])
#define FETCH(word, at) shmem_long_atomic_fetch(&(word)[i], pe[at])
#define MINE(word) *(volatile long *)&(word)[i]
static const long values[] = {0, 1, 2};

/* A test: what each part does (`part` is the caller's), and the outcomes in registers that must not be. A register has
 * one writer. A test without such outcomes shows what the standard allows. */
#define LITMUS(name, code, bad)                                                              \
    static void name(int part, int i, long *r) { (void)part, (void)i, (void)r; code }     \
    static int name##_bad(const long *r) { (void)r; return bad; }

/* Message passing: data, then a flag. */
LITMUS(mp_fence, { if (part == 0) { P(x, 1, 1); shmem_fence(); P(y, 1, 1); }
                   if (part == 1) { r[0] = TEST(y); r[1] = MINE(x); } }, r[0] && !r[1])
LITMUS(mp_nbi_fence, { if (part == 0) { PUT_NBI(x, 1); shmem_fence(); PUT_NBI(y, 1); shmem_quiet(); }
                       if (part == 1) { r[0] = TEST(y); r[1] = MINE(x); } }, r[0] && !r[1])
LITMUS(mp_amo, { if (part == 0) { P(x, 1, 1); shmem_fence(); SET(y, 1); }
                 if (part == 1) { r[0] = TEST(y); r[1] = MINE(x); } }, r[0] && !r[1])
LITMUS(mp_amo_data, { if (part == 0) { SET(x, 1); shmem_fence(); P(y, 1, 1); }
                      if (part == 1) { r[0] = TEST(y); r[1] = FETCH(x, 1); } }, r[0] && !r[1])
LITMUS(mp_signal, { uint64_t *flag = (uint64_t *)&y[i];
                    if (part == 0) shmem_long_put_signal(&x[i], &values[1], 1, flag, 1, SHMEM_SIGNAL_SET, pe[1]);
                    if (part == 1) { r[0] = (long)shmem_signal_fetch(flag); r[1] = MINE(x); } }, r[0] && !r[1])
LITMUS(mp_gets, { if (part == 0) { P(x, 1, 1); shmem_fence(); P(y, 1, 1); }
                  if (part == 2) { r[0] = G(y, 1); r[1] = G(x, 1); } }, r[0] && !r[1])
LITMUS(mp_get_nbi, { if (part == 0) { P(x, 1, 0); shmem_quiet(); P(y, 1, 1); }
                     if (part == 1) { r[0] = TEST(y); shmem_long_get_nbi(&r[1], &x[i], 1, pe[0]); shmem_quiet(); } },
       r[0] && !r[1])
LITMUS(mp_two_pes_quiet, { if (part == 0) { PUT_NBI(x, 1); shmem_quiet(); P(y, 1, 2); }
                           if (part == 2) { r[0] = TEST(y); r[1] = G(x, 1); } }, r[0] && !r[1])
LITMUS(mp_two_contexts_quiet, { if (part == 0) { shmem_ctx_long_put_nbi(other, &x[i], &values[1], 1, pe[1]);
                                                 shmem_ctx_quiet(other); P(y, 1, 1); }
                                if (part == 1) { r[0] = TEST(y); r[1] = MINE(x); } }, r[0] && !r[1])
LITMUS(mp_no_fence, { if (part == 0) { PUT_NBI(x, 1); PUT_NBI(y, 1); shmem_quiet(); }
                      if (part == 1) { r[0] = TEST(y); r[1] = MINE(x); } }, 0)
LITMUS(mp_two_pes_fence, { if (part == 0) { PUT_NBI(x, 1); shmem_fence(); P(y, 1, 2); }
                           if (part == 2) { r[0] = TEST(y); r[1] = G(x, 1); } }, 0)

/* Store buffering: each stores a word and reads the other's. */
LITMUS(sb_quiet, { if (part == 0) { P(x, 1, 1); shmem_quiet(); r[0] = G(y, 0); }
                   if (part == 1) { P(y, 1, 0); shmem_quiet(); r[1] = G(x, 1); } }, !r[0] && !r[1])
LITMUS(sb_amo_quiet, { if (part == 0) { ADD(x, 1); shmem_quiet(); r[0] = FETCH(y, 0); }
                       if (part == 1) { ADD(y, 0); shmem_quiet(); r[1] = FETCH(x, 1); } }, !r[0] && !r[1])
LITMUS(sb, { if (part == 0) { P(x, 1, 1); r[0] = G(y, 0); }
             if (part == 1) { P(y, 1, 0); r[1] = G(x, 1); } }, 0)

/* Load buffering: each reads a word and stores the other's. */
LITMUS(lb, { if (part == 0) { r[0] = G(x, 1); P(y, 1, 0); }
             if (part == 1) { r[1] = G(y, 0); P(x, 1, 1); } }, r[0] && r[1])

/* Coherence: one word has one order of values. */
LITMUS(co_rr, { if (part == 0) { P(x, 1, 1); shmem_fence(); P(x, 2, 1); }
                if (part == 2) { r[0] = G(x, 1); r[1] = G(x, 1); } }, r[0] > r[1])
LITMUS(co_ww, { if (part == 0) { P(x, 1, 1); shmem_fence(); P(x, 2, 1); shmem_quiet(); r[0] = G(x, 1); }
                if (part == 1) { r[1] = TEST(x); } }, r[0] != 2)
LITMUS(co_wr, { if (part == 0) { PUT_NBI(x, 1); shmem_quiet(); r[0] = G(x, 1); } }, r[0] != 1)
LITMUS(co_amo, { if (part < 2) r[part] = ADD(x, 2); }, r[0] == r[1])

/* What a third PE sees of what a second one has seen. */
LITMUS(wrc, { if (part == 0) P(x, 1, 1);
              if (part == 1) { r[0] = TEST(x); if (r[0]) P(y, 1, 2); }
              if (part == 2) { r[1] = TEST(y); r[2] = G(x, 1); } }, r[1] && !r[2])
LITMUS(isa2, { if (part == 0) { P(x, 1, 1); shmem_quiet(); SET(y, 1); }
               if (part == 1) { r[0] = TEST(y); shmem_fence(); if (r[0]) SET(y, 2); }
               if (part == 2) { r[1] = TEST(y); r[2] = G(x, 1); } }, r[1] && !r[2])
LITMUS(iriw, { if (part == 0) P(x, 1, 1);
               if (part == 1) P(y, 1, 0);
               if (part == 2) { r[0] = G(x, 1); r[1] = G(y, 0); }
               if (part == 3) { r[2] = G(y, 0); r[3] = G(x, 1); } }, r[0] && !r[1] && r[2] && !r[3])

/* Collectives: each of the PEs calls them. */
LITMUS(barrier, { if (part == 0) PUT_NBI(x, 1);
                  shmem_barrier_all();
                  if (part == 1) r[0] = MINE(x); }, !r[0])
LITMUS(quiet_sync, { if (part == 0) { PUT_NBI(x, 1); shmem_quiet(); }
                     shmem_team_sync(SHMEM_TEAM_WORLD);
                     if (part == 1) r[0] = MINE(x);
                     if (part == 2) r[1] = G(x, 1); }, !r[0])

#define ROW(parts, name) {#name, parts, name, name##_bad}
static const struct {
    const char *name;
    int parts;
    void (*run)(int part, int i, long *r);
    int (*bad)(const long *r);
} tests[] = {
    ROW(2, mp_fence), ROW(2, mp_nbi_fence), ROW(2, mp_amo), ROW(2, mp_amo_data), ROW(2, mp_signal), ROW(3, mp_gets),
    ROW(2, mp_get_nbi), ROW(3, mp_two_pes_quiet), ROW(2, mp_two_contexts_quiet), ROW(2, mp_no_fence),
    ROW(3, mp_two_pes_fence), ROW(2, sb_quiet), ROW(2, sb_amo_quiet), ROW(2, sb), ROW(2, lb), ROW(3, co_rr),
    ROW(2, co_ww), ROW(2, co_wr), ROW(3, co_amo), ROW(3, wrc), ROW(3, isa2), ROW(4, iriw), ROW(2, barrier),
    ROW(2, quiet_sync),
};

/* The outcome of run i, as a number with base 3; `r`: its registers. */
static int outcome(int i, long *r)
{
    int number = 0;
    for (int k = REGISTERS - 1; k >= 0; k--) {
        r[k] = all[k * BATCH + i];
        number = number * 3 + (int)r[k];
    }
    return number;
}

static void batch(size_t test, int first, long *counts)
{
    const int part = (t_me - first + t_npes) % t_npes;
    for (int k = 0; k < PARTS; k++)
        pe[k] = (first + k) % t_npes;
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    memset(own, 0, sizeof own);
    shmem_barrier_all();
    for (int i = 0; i < BATCH; i++) {
        long r[REGISTERS] = {0};
        tests[test].run(part, i, r);
        for (int k = 0; k < REGISTERS; k++)
            own[k * BATCH + i] = r[k];
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_max_reduce(SHMEM_TEAM_WORLD, all, own, REGISTERS * BATCH), 0);
    for (int i = 0; i < BATCH; i++) {
        long r[REGISTERS];
        counts[outcome(i, r)]++;
        if (t_me == 0 && tests[test].bad(r))
            t_fail(__FILE__, __LINE__, "%d %d %d %d was seen", (int)r[0], (int)r[1], (int)r[2], (int)r[3]);
    }
}

int main(int argc, char **argv)
{
    const long runs = argc > 1 ? atol(argv[1]) : 10 * BATCH;
    const int table = argc > 2 && strcmp(argv[2], "table") == 0;
    t_init();
    CHECK_EQ(shmem_ctx_create(0, &other), 0);
    for (size_t test = 0; test < sizeof tests / sizeof *tests; test++) {
        long counts[OUTCOMES] = {0};
        if (tests[test].parts > t_npes || (argc > 2 && !table && strcmp(argv[2], tests[test].name)))
            continue;
        t_what = tests[test].name;
        for (long done = 0; done < runs; done += BATCH)
            batch(test, (int)(done / BATCH % t_npes), counts);
        if (!table || t_me != 0)
            continue;
        printf("%-24s", t_what);
        for (int k = 0; k < OUTCOMES; k++)
            if (counts[k])
                printf("  %d%d%d%d %ld", k % 3, k / 3 % 3, k / 9 % 3, k / 27, counts[k]);
        putchar('\n');
    }
    shmem_ctx_destroy(other);
    return t_done();
}
