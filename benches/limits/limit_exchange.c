/*
 * The limit of alltoall: the smallest exchange there is. PEs are processes that are spread over at most two cores;
 * each copies its blocks where they belong and sets one flag, which all others look at. Nothing is checked, translated
 * or counted, and a PE that waits for a process of its own core gives way at once. The word is the number of PEs. As
 * in the benchmarks of collectives, all PEs have a barrier before an exchange, outside its time, and the mean over the
 * PEs counts: PEs that get their core later measure less. The shortest of all repeats counts, by memcpy or by stores
 * that leave the caches alone.
 */
#include "limits.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* From here on most of the time is copying; below it is waiting. */
#define EXCHANGE_FROM 16384
/* Exchanges of a repeat: about as many bytes for each size. */
#define EXCHANGE_BYTES ((size_t)16 << 20)
#define EXCHANGE_ITERATIONS 10
#define EXCHANGE_REPEATS 11
#define EXCHANGE_MOST 8
/* Polls of the flag of a process on the other core before the own core is given away. */
#define EXCHANGE_POLLS 64

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

/* What a PE posts for the others, a line for each. */
struct posted {
    _Alignas(LIMITS_LINE) atomic_int turn; /* barriers it has arrived at */
    double us;
};

static struct posted *posted;
static size_t pes, cores_used, me;
static char *memory[EXCHANGE_MOST]; /* of each PE: its sources for all PEs, then its dests from all */
static int turn;

/* Returns when all PEs have arrived. */
static void barrier(void)
{
    turn++;
    atomic_store_explicit(&posted[me].turn, turn, memory_order_release);
    for (size_t pe = 0; pe < pes; pe++) {
        int here = pe % cores_used == me % cores_used;
        /* It may be at its next barrier already. */
        for (unsigned poll = 1; atomic_load_explicit(&posted[pe].turn, memory_order_acquire) < turn; poll++)
            if (here || (pes > cores_used && poll % EXCHANGE_POLLS == 0))
                sched_yield();
    }
}

/* Mean over the PEs. Every PE goes through this alike. */
static double exchange_us(copy_call *copy, size_t size, size_t iterations)
{
    double paused = 0.0, us = 0.0, start = bench_now_us();
    for (size_t i = 0; i < iterations; i++) {
        double stopped = bench_now_us();
        barrier();
        paused += bench_now_us() - stopped;
        for (size_t k = 1; k <= pes; k++) {
            size_t to = (me + k) % pes;
            copy(memory[to] + (pes + me) * size, memory[me] + to * size, size);
        }
        barrier();
    }
    posted[me].us = (bench_now_us() - start - paused) / (double)iterations;
    barrier();
    for (size_t pe = 0; pe < pes; pe++)
        us += posted[pe].us / (double)pes;
    /* Nobody writes the next time before all have read this one. */
    barrier();
    return us;
}

static void all_sizes(void)
{
    copy_call *methods[] = {by_memcpy, past_the_caches};
    for (size_t size = EXCHANGE_FROM; size <= BENCH_MAX_SIZE; size *= BENCH_STEP) {
        size_t iterations = EXCHANGE_BYTES / (size * pes);
        if (iterations < EXCHANGE_ITERATIONS)
            iterations = EXCHANGE_ITERATIONS;
        double best = 0.0;
        /* One after the other: the second leaves the caches without what the first would find there. */
        for (int r = 0; r < 2 * EXCHANGE_REPEATS; r++) {
            double us = exchange_us(methods[r / EXCHANGE_REPEATS], size, iterations);
            best = r == 0 || us < best ? us : best;
        }
        if (me == 0)
            bench_row_latency(size, best);
    }
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, "2|4|8", EXCHANGE_ITERATIONS);
    int cores[2];
    limits_two_cores(cores);
    cores_used = cores[0] == cores[1] ? 1 : 2;
    pes = (size_t)(o.variant[0] - '0');
    bench_head_latency("the smallest exchange");
    posted = (struct posted *)limits_shared(pes * sizeof *posted);
    size_t bytes = 2 * pes * BENCH_MAX_SIZE;
    for (size_t pe = 0; pe < pes; pe++)
        memory[pe] = limits_shared(bytes);
    pid_t others[EXCHANGE_MOST];
    for (size_t pe = 1; pe < pes && me == 0; pe++) {
        others[pe] = fork();
        if (others[pe] < 0)
            limits_die("fork");
        if (others[pe] == 0)
            me = pe;
    }
    limits_pin(cores[me % cores_used]);
    memset(memory[me], 'a', bytes);
    barrier();
    all_sizes();
    for (size_t pe = 1; pe < pes && me == 0; pe++) {
        int status;
        if (waitpid(others[pe], &status, 0) < 0 || status != 0)
            limits_die("another process");
    }
    return 0;
}
