/*
 * Single CPU instructions on words of the other process: plain 8-byte load and store, and the locked operations
 * that the atomics are made of. Words are used one after the other, as in osu_oshm_atomics.
 */
#include "limits.h"

#define WORDS 512
#define WORD words[bench_i % WORDS]
#define ROW(NAME, OP)                                                                       \
    do {                                                                                    \
        double us;                                                                          \
        BENCH_TIME(us, bench_counts(o.iterations), OP; BENCH_COMPILER_BARRIER(), (void)0);  \
        bench_row_operation(NAME, us);                                                      \
    } while (0)

static volatile long long sink;

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, 10 * LIMITS_ITERATIONS);
    struct limits_pair p = limits_start(LIMITS_FEW_BYTES, 1, NULL);
    _Atomic(long long) *words = (_Atomic(long long) *)p.theirs;
    long long seen = 0, expected = 0;

    bench_head_operation("CPU operations on the other process's memory, 8 bytes");
    ROW("load", seen ^= atomic_load_explicit(&WORD, memory_order_relaxed));
    ROW("store", atomic_store_explicit(&WORD, bench_i, memory_order_relaxed));
    ROW("fetch_add", seen ^= atomic_fetch_add(&WORD, 3));
    ROW("exchange", seen ^= atomic_exchange(&WORD, 5));
    ROW("compare_exchange", (expected = 5, atomic_compare_exchange_strong(&WORD, &expected, 5)));
    sink = seen;
    limits_end(&p);
    return 0;
}
