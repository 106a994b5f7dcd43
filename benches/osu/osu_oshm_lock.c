/*
 * A static lock: shmem_set_lock and shmem_clear_lock by the last PE alone, and the hand-over from one owner to the next
 * while all PEs want it.
 */
#include "osu_lock.h"

#define LOCK_ITERATIONS 20000
/* Where PEs outnumber cores, a hand-over may take milliseconds. */
#define LOCK_BUDGET_US 1e6

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
