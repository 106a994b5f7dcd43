/*
 * What it costs to hand over from one process to another, the bricks of a barrier: one way of a cache line between
 * two cores, and a change between two processes on one core with sched_yield.
 */
#include "limits.h"

static long rounds;

static void answer_pings(struct limits_pair *p)
{
    for (int i = 1; i <= rounds; i++) {
        limits_wait(&p->flags->ping, i);
        atomic_store_explicit(&p->flags->pong, i, memory_order_release);
    }
}

static void answer_pings_by_yield(struct limits_pair *p)
{
    for (int i = 1; i <= rounds; i++) {
        while (atomic_load_explicit(&p->flags->ping, memory_order_acquire) != i)
            sched_yield();
        atomic_store_explicit(&p->flags->pong, i, memory_order_release);
    }
}

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, LIMITS_ITERATIONS);
    struct bench_counts counts = bench_counts(o.iterations);
    double us;
    int i;
    rounds = counts.warm + counts.timed / counts.batches * counts.batches;
    bench_head_operation("handing over between two processes");

    struct limits_pair p = limits_start(LIMITS_FEW_BYTES, 1, NULL);
    BENCH_TIME(us, counts, sched_yield(), (void)0);
    bench_row_operation("yield_alone", us);
    if (p.cores[0] != p.cores[1]) {
        limits_end(&p);
        p = limits_start(LIMITS_FEW_BYTES, 1, answer_pings);
        i = 0;
        BENCH_TIME(us, counts, i++; atomic_store_explicit(&p.flags->ping, i, memory_order_release);
                   limits_wait(&p.flags->pong, i), (void)0);
        bench_row_operation("line_one_way", us / 2);
    }
    limits_end(&p);

    /* Both on one core: a round trip takes two changes of process. */
    p = limits_start(LIMITS_FEW_BYTES, 0, answer_pings_by_yield);
    i = 0;
    BENCH_TIME(us, counts, i++; atomic_store_explicit(&p.flags->ping, i, memory_order_release);
               while (atomic_load_explicit(&p.flags->pong, memory_order_acquire) != i) sched_yield();, (void)0);
    bench_row_operation("process_switch", us / 2);
    limits_end(&p);
    return 0;
}
