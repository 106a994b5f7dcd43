/*
 * What the benchmarks of collectives share: buffers, sync and work arrays, the loop over sizes. As in the OSU
 * benchmarks a barrier stands before each call and is not in its time, elements have 4 bytes, and a size is what one
 * PE contributes (to each other PE, for alltoall). PE times are averaged; the largest is printed too.
 */
#ifndef OSU_COLLECTIVE_H
#define OSU_COLLECTIVE_H

#include "osu_oshm.h"

#define OSU_COLLECTIVE_ITERATIONS 10000
#define OSU_ELEMENT 4

/* One sync array does for all kinds: the sizes are constants of the implementation. */
#define OSU_SYNC_SIZE                                                                                   \
    (SHMEM_BCAST_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE \
     + SHMEM_ALLTOALLS_SYNC_SIZE)

static long osu_sync[OSU_SYNC_SIZE];

static inline void osu_sync_start(void)
{
    for (int i = 0; i < OSU_SYNC_SIZE; i++)
        osu_sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
}

/*
 * Times OP, one way to call the collective. How often, is found with the barrier included: it takes its time, too. The
 * barrier also makes the sync array usable again.
 */
#define OSU_TIME_COLLECTIVE(OP)                                                                            \
    do {                                                                                                   \
        BENCH_TIME(us, bench_counts_mean(BENCH_PROBE), shmem_barrier_all(); OP, (void)0);                  \
        iterations = bench_affordable(j.options.iterations, osu_spread(&j, us).max, BENCH_SIZE_US);        \
        BENCH_TIME(us, bench_counts_shared(iterations, j.npes), BENCH_UNTIMED(shmem_barrier_all()); OP,    \
                   (void)0);                                                                               \
    } while (0)

/*
 * A program for one collective. SOURCES and DESTS are the buffers' lengths in units of the message size (they may use
 * `npes`); ACTIVE and TEAM the calls on (dest, source, n elements, osu_sync), the active set being all PEs.
 */
#define OSU_COLLECTIVE_PROGRAM(TITLE, SOURCES, DESTS, ACTIVE, TEAM)                                        \
    int main(int argc, char **argv)                                                                        \
    {                                                                                                      \
        struct osu_job j = osu_start(argc, argv, OSU_FORMS, OSU_COLLECTIVE_ITERATIONS);                    \
        int npes = j.npes;                                                                                 \
        int team = strcmp(j.options.variant, "team") == 0;                                                 \
        void *source = osu_heap(&j, j.options.max * (size_t)(SOURCES));                                    \
        void *dest = osu_heap(&j, j.options.max * (size_t)(DESTS));                                        \
        OSU_WORK(j)                                                                                        \
        /* Ints whose sum is an int again. */                                                              \
        memset(source, 0, j.options.max * (size_t)(SOURCES));                                              \
        osu_sync_start();                                                                                  \
        if (j.me == 0)                                                                                     \
            bench_head_spread(TITLE);                                                                      \
        for (size_t size = bench_first(&j.options, BENCH_STEP_MIN); size <= j.options.max;                 \
             size *= BENCH_STEP) {                                                                         \
            double us;                                                                                     \
            long iterations;                                                                               \
            size_t n = size / OSU_ELEMENT;                                                                 \
            if (team)                                                                                      \
                OSU_TIME_COLLECTIVE(TEAM);                                                                 \
            else                                                                                           \
                OSU_TIME_COLLECTIVE(ACTIVE);                                                               \
            struct bench_spread all = osu_spread(&j, us);                                                  \
            if (j.me == 0)                                                                                 \
                bench_row_spread(size, all, iterations);                                                   \
        }                                                                                                  \
        return osu_end();                                                                                  \
    }

/* The words a program takes. Teams came with OpenSHMEM 1.5; before, there is the active-set form only. */
#if OSU_SPEC >= 105
#define OSU_TEAM(CALL) CALL
#ifndef OSU_FORMS
#define OSU_FORMS "active|team"
#endif
#else
#define OSU_TEAM(CALL) (void)0
#define OSU_FORMS "active"
#endif

/* What a program allocates besides: the reduction's work array. */
#ifndef OSU_WORK
#define OSU_WORK(J)
#endif

#endif
