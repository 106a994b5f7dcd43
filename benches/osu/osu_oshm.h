/*
 * What the OpenSHMEM benchmarks share: start and end, the choice of heap or global memory, the pattern in
 * which one PE talks to the other. Uses OpenSHMEM 1.4 only, so that other implementations
 * compile the same files; what is newer stands beside its 1.4 form and asks OSU_SPEC.
 */
#ifndef OSU_OSHM_H
#define OSU_OSHM_H

#include "../common/bench.h"
#include <shmem.h>

/* The specification that the header under test claims: 104 for 1.4. */
#define OSU_SPEC (SHMEM_MAJOR_VERSION * 100 + SHMEM_MINOR_VERSION)

#define OSU_ITERATIONS 20000
#define OSU_PAGE 4096

struct osu_job {
    struct bench_options options;
    int me, npes;
    int peer;   /* whom this PE writes to or reads from */
    int active; /* this PE measures; its peer waits in a barrier */
};

/* Reads the options and starts OpenSHMEM. Lower half of the PEs is active, each with a partner in the upper half. */
static inline struct osu_job osu_start(int argc, char **argv, const char *variants, long iterations)
{
    struct osu_job j;
    j.options = bench_parse(argc, argv, variants, iterations);
    shmem_init();
    j.me = shmem_my_pe();
    j.npes = shmem_n_pes();
    int pairs = j.npes / 2;
    j.active = j.me < pairs;
    j.peer = j.active ? j.me + pairs : j.me - pairs;
    return j;
}

/* A benchmark between partners cannot run with an odd number of PEs. */
static inline void osu_need_pairs(const struct osu_job *j, const char *program)
{
    if (j->npes < 2 || j->npes % 2 != 0) {
        if (j->me == 0)
            fprintf(stderr, "%s: needs an even number of PEs, has %d\n", program, j->npes);
        shmem_finalize();
        exit(2);
    }
}

/* The first address of a page in `raw`, which has OSU_PAGE bytes to spare. Every page is written, as data would be. */
static inline char *osu_aligned(const struct osu_job *j, char *raw, size_t bytes)
{
    if (raw == NULL) {
        fprintf(stderr, "no symmetric memory for %zu bytes on PE %d\n", bytes, j->me);
        shmem_global_exit(1);
    }
    char *buffer = (char *)(((uintptr_t)raw + OSU_PAGE - 1) & ~(uintptr_t)(OSU_PAGE - 1));
    memset(buffer, 'a' + j->me % 26, bytes);
    return buffer;
}

/* `bytes` of the symmetric heap, page-aligned. */
static inline void *osu_heap(const struct osu_job *j, size_t bytes)
{
    return osu_aligned(j, shmem_malloc(bytes + OSU_PAGE), bytes);
}

/* `bytes` of symmetric memory, page-aligned: from the heap, or `statics` of OSU_PAGE bytes more. */
static inline char *osu_buffer(const struct osu_job *j, char *statics, size_t bytes)
{
    return strcmp(j->options.variant, "heap") == 0 ? osu_heap(j, bytes) : osu_aligned(j, statics, bytes);
}

/*
 * The heap is not freed piece by piece: shmem_finalize releases it. Everything is printed by then, so an
 * implementation that fails in its finalize has still reported its figures.
 */
static inline int osu_end(void)
{
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}

/* Mean, least and largest of the PEs' values, on every PE. All PEs call it. */
static inline struct bench_spread osu_spread(const struct osu_job *j, double value)
{
    static double mine, result[3], work[3][SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    static long sync[3][SHMEM_REDUCE_SYNC_SIZE];
    static int ready;
    for (int set = 0; set < 3 && !ready; set++)
        for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
            sync[set][i] = SHMEM_SYNC_VALUE;
    ready = 1;
    mine = value;
    /* Everybody is out of the call before, and has its sync arrays ready. */
    shmem_barrier_all();
    shmem_double_sum_to_all(&result[0], &mine, 1, 0, 0, j->npes, work[0], sync[0]);
    shmem_double_min_to_all(&result[1], &mine, 1, 0, 0, j->npes, work[1], sync[1]);
    shmem_double_max_to_all(&result[2], &mine, 1, 0, 0, j->npes, work[2], sync[2]);
    struct bench_spread s = {result[0] / j->npes, result[1], result[2]};
    return s;
}

/* Body of a latency program: PE 0 runs OP for each size on (remote, local, size, peer), the others wait. */
#define OSU_LATENCY_PROGRAM(TITLE, OP)                                                              \
    static char osu_local_statics[BENCH_MAX_SIZE + OSU_PAGE];                                       \
    static char osu_remote_statics[BENCH_MAX_SIZE + OSU_PAGE];                                      \
    int main(int argc, char **argv)                                                                 \
    {                                                                                               \
        struct osu_job j = osu_start(argc, argv, "heap|global", OSU_ITERATIONS);                    \
        osu_need_pairs(&j, argv[0]);                                                                \
        char *local = osu_buffer(&j, osu_local_statics, BENCH_MAX_SIZE);                            \
        char *remote = osu_buffer(&j, osu_remote_statics, BENCH_MAX_SIZE);                          \
        int peer = j.peer;                                                                          \
        if (j.me == 0)                                                                              \
            bench_head_latency(TITLE);                                                              \
        for (size_t size = j.options.min; size <= j.options.max; size *= 2) {                       \
            shmem_barrier_all();                                                                    \
            if (j.me == 0) {                                                                        \
                double us;                                                                          \
                BENCH_TIME(us, bench_counts_for(&j.options, size), OP, (void)0);                    \
                bench_row_latency(size, us);                                                        \
            }                                                                                       \
            shmem_barrier_all();                                                                    \
        }                                                                                           \
        return osu_end();                                                                           \
    }

#endif
