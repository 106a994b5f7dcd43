/*
 * A static lock: shmem_set_lock and shmem_clear_lock by the last PE alone, and the hand-over from one owner to the next
 * while all PEs want it.
 */
#include "osu_oshm.h"

#define LOCK_ITERATIONS 20000
/* Where PEs outnumber cores, a hand-over may take milliseconds. */
#define LOCK_BUDGET_US 1e6

static long osu_lock;

/* PE 0 holds the lock for this long, in microseconds, so that all others come to wait for it. */
#define OSU_LOCK_GATE_US 20000

/*
 * In place of a barrier before a contest. A PE that found the lock free could take and clear it many thousand times
 * before another has its core, and nothing would be handed over.
 */
static inline void osu_lock_gate(const struct osu_job *j)
{
    if (j->me == 0)
        shmem_set_lock(&osu_lock);
    shmem_barrier_all();
    if (j->me == 0) {
        usleep(OSU_LOCK_GATE_US);
        shmem_clear_lock(&osu_lock);
    }
}

int main(int argc, char **argv)
{
    struct osu_job j = osu_start(argc, argv, NULL, LOCK_ITERATIONS);
    if (j.me == 0)
        bench_head_operation("OSU-style OpenSHMEM lock latency");
    for (int alone = 1; alone >= 0; alone--) {
        const char *row = alone ? "shmem_lock_alone" : "shmem_lock_handover";
        long iterations = BENCH_PROBE;
        /* First to see how many can be afforded, then for the table. */
        for (int table = 0; table < 2; table++) {
            double us = 0.0;
            if (alone)
                shmem_barrier_all();
            else
                osu_lock_gate(&j);
            if (!alone || j.me == j.npes - 1)
                BENCH_TIME(us, bench_counts_mean(iterations), shmem_set_lock(&osu_lock); shmem_clear_lock(&osu_lock),
                           (void)0);
            /* All PEs' iterations come one after the other. Who takes longest has seen them all; a PE that an unfair
               lock favours has not. */
            double longest = osu_spread(&j, us).max;
            if (table && j.me == 0)
                bench_row_operation(row, alone ? longest : longest / j.npes);
            iterations = bench_affordable(j.options.iterations, longest, LOCK_BUDGET_US);
        }
    }
    return osu_end();
}
