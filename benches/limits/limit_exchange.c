/*
 * The limit of alltoall: all blocks of all PEs copied once, by as many processes as there are cores (at most two), which
 * wait for each other only when they are through. The word is the number of PEs. Each process does what the PEs on its
 * core would, one after the other, and every PE begins with its next neighbour. The faster of memcpy and stores that
 * leave the caches alone counts.
 */
#include "limits.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* From here on copying is all; below it is waiting. */
#define EXCHANGE_FROM 65536
#define EXCHANGE_ITERATIONS 10
#define EXCHANGE_REPEATS 11

typedef void copy_call(char *to, const char *from, size_t n);

static void by_memcpy(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    BENCH_COMPILER_BARRIER();
}

static void past_the_caches(char *to, const char *from, size_t n)
{
#ifdef __SSE2__
    for (size_t i = 0; i < n; i += 4 * sizeof(__m128i)) {
        __m128i words[4];
        for (int w = 0; w < 4; w++)
            words[w] = _mm_loadu_si128((const __m128i *)(from + i) + w);
        for (int w = 0; w < 4; w++)
            _mm_stream_si128((__m128i *)(to + i) + w, words[w]);
    }
    _mm_sfence();
#else
    by_memcpy(to, from, n);
#endif
}

static size_t pes, parties;
static int turns;

/* Both are here. */
static void meet(struct limits_pair *p, int child)
{
    atomic_int *mine = child ? &p->flags->pong : &p->flags->ping;
    atomic_int *theirs = child ? &p->flags->ping : &p->flags->pong;
    if (parties == 1)
        return;
    turns++;
    atomic_store_explicit(mine, turns, memory_order_release);
    /* The other one may be at its next meeting already. */
    while (atomic_load_explicit(theirs, memory_order_acquire) < turns)
        continue;
}

/* What the PEs of one core copy. A PE's source and dest lie side by side, a block of `size` in each for every PE. */
static void copy_share(struct limits_pair *p, size_t first, copy_call *copy, size_t size)
{
    char *all = p->mine < p->theirs ? p->mine : p->theirs;
    size_t each = 2 * pes * size;
    for (size_t pe = first; pe < pes; pe += parties)
        for (size_t k = 1; k <= pes; k++) {
            size_t to = (pe + k) % pes;
            copy(all + to * each + (pes + pe) * size, all + pe * each + to * size, size);
        }
}

/* The shortest of the methods' medians. Both processes go through this alike. */
static double exchange_us(struct limits_pair *p, int child, size_t size)
{
    copy_call *methods[] = {by_memcpy, past_the_caches};
    double best = 0.0, us[EXCHANGE_REPEATS];
    for (int m = 0; m < 2; m++) {
        for (int r = 0; r < EXCHANGE_REPEATS; r++) {
            meet(p, child);
            double start = bench_now_us();
            for (int i = 0; i < EXCHANGE_ITERATIONS; i++) {
                copy_share(p, (size_t)child, methods[m], size);
                meet(p, child);
            }
            us[r] = (bench_now_us() - start) / EXCHANGE_ITERATIONS;
        }
        double median = bench_median(us, EXCHANGE_REPEATS);
        best = m == 0 || median < best ? median : best;
    }
    return best;
}

static void all_sizes(struct limits_pair *p, int child)
{
    for (size_t size = EXCHANGE_FROM; size <= BENCH_MAX_SIZE; size *= BENCH_STEP) {
        double us = exchange_us(p, child, size);
        if (!child)
            bench_row_latency(size, us);
    }
}

static void other_process(struct limits_pair *p)
{
    if (parties == 2)
        all_sizes(p, 1);
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, "2|4|8", EXCHANGE_ITERATIONS);
    int cores[2];
    limits_two_cores(cores);
    parties = cores[0] == cores[1] ? 1 : 2;
    pes = (size_t)(o.variant[0] - '0');
    bench_head_latency("copying the blocks of an exchange");
    struct limits_pair p = limits_start(pes * pes * BENCH_MAX_SIZE, 1, other_process);
    all_sizes(&p, 0);
    limits_end(&p);
    return 0;
}
