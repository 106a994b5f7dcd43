/*
 * Rate and latency of atomic operations on words of the partner, one after the other over OSU_WORDS words.
 * The rows carry OSU's short names (fadd, finc, ...); the calls are the OpenSHMEM 1.4 ones. The int
 * compare-and-swap comes last: Open MPI 4.1.4 ends there, and all other figures are printed by then.
 */
#include "osu_oshm.h"

#define OSU_WORDS 512

static char osu_statics[OSU_WORDS * sizeof(long long) + OSU_PAGE];

/* One row, measured by PE 0 alone: a second pair would measure the memory system, not the call. */
#define ROW(NAME, OP)                                                                                 \
    do {                                                                                              \
        shmem_barrier_all();                                                                          \
        if (j.me == 0) {                                                                              \
            double us;                                                                                \
            BENCH_TIME(us, bench_counts(j.options.iterations), OP, shmem_quiet());                    \
            bench_row_operation(NAME, us);                                                            \
        }                                                                                             \
        shmem_barrier_all();                                                                          \
    } while (0)

#define ROWS(TYPE, LABEL)                                                                             \
    do {                                                                                              \
        TYPE *words = (TYPE *)buffer;                                                                 \
        TYPE seen = 0;                                                                                \
        ROW("shmem_" #LABEL "_fadd", seen += shmem_##LABEL##_atomic_fetch_add(&WORD, 3, peer));       \
        ROW("shmem_" #LABEL "_finc", seen += shmem_##LABEL##_atomic_fetch_inc(&WORD, peer));          \
        ROW("shmem_" #LABEL "_add", shmem_##LABEL##_atomic_add(&WORD, 3, peer));                      \
        ROW("shmem_" #LABEL "_inc", shmem_##LABEL##_atomic_inc(&WORD, peer));                         \
        ROW("shmem_" #LABEL "_swap", seen += shmem_##LABEL##_atomic_swap(&WORD, 5, peer));            \
        ROW("shmem_" #LABEL "_fetch", seen += shmem_##LABEL##_atomic_fetch(&WORD, peer));             \
        ROW("shmem_" #LABEL "_set", shmem_##LABEL##_atomic_set(&WORD, 7, peer));                      \
        ROW("shmem_" #LABEL "_cswap", seen += shmem_##LABEL##_atomic_compare_swap(&WORD, 5, 5, peer));\
        sink += (unsigned)seen;                                                                       \
    } while (0)
#define WORD words[bench_i % OSU_WORDS]

/* Reads the fetched values once, so that no call's result is unused. */
static volatile unsigned sink;

int main(int argc, char **argv)
{
    struct osu_job j = osu_start(argc, argv, "heap|global", OSU_ITERATIONS);
    osu_need_pairs(&j, argv[0]);
    char *buffer = osu_buffer(&j, osu_statics, OSU_WORDS * sizeof(long long));
    /* Small numbers: the sums above must not leave the range of int. */
    memset(buffer, 0, OSU_WORDS * sizeof(long long));
    int peer = j.peer;
    if (j.me == 0)
        bench_head_operation("OSU-style OpenSHMEM atomic operation rate");
    ROWS(long long, longlong);
    shmem_barrier_all();
    memset(buffer, 0, OSU_WORDS * sizeof(long long));
    ROWS(int, int);
    return osu_end();
}
