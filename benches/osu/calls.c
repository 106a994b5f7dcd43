/*
 * Calls of OpenSHMEM; with -DPLAIN the calls of MPI that come closest. All libraries compile this source, so all are
 * timed in the same way. It takes OpenSHMEM 1.4, and newer calls where the header has them.
 *
 * usage: calls WHAT... [-m MIN:MAX] [-b MILLISECONDS]
 *
 * PE 0 works on the first PE of the second half, which is on the second of two hosts, and the others wait in a barrier.
 * What all PEs call takes the mean of their times. A barrier stands before each collective call and is not in its time.
 */
#include "bench.h"

#ifdef PLAIN
#include <mpi.h>
#else
#include <shmem.h>
/* 104 is version 1.4. */
#define SPEC (SHMEM_MAJOR_VERSION * 100 + SHMEM_MINOR_VERSION)
#endif

enum { WORDS = 512, PAGE = 4096, STRIDE = 2 };

static int me, npes, peer;
static char *there, *here;        /* memory of the peer, and memory of this PE; on the first address of a page */
static double paused;             /* microseconds of a batch that do not count */
static volatile long long sink;   /* takes what is fetched, so that no result is unused */

typedef void call_fn(size_t bytes, long times);

#define CALL(NAME, OP)                                                             \
    static void NAME(size_t bytes, long times)                                     \
    {                                                                              \
        (void)bytes;                                                               \
        for (long i = 0; i < times; i++) {                                         \
            OP;                                                                    \
        }                                                                          \
    }
/* Of `n` ints for each PE. */
#define COLLECTIVE(NAME, ...)                                                      \
    static void NAME(size_t bytes, long times)                                     \
    {                                                                              \
        int n = (int)(bytes / sizeof(int));                                        \
        void *dest = there, *source = here;                                        \
        for (long i = 0; i < times; i++) {                                         \
            double begun = bench_now_us();                                         \
            barrier_all();                                                         \
            paused += bench_now_us() - begun;                                      \
            __VA_ARGS__;                                                           \
        }                                                                          \
    }
/* Between pairs of PEs: the two halves send in turn, and a call is one way. */
#define PINGPONG(NAME, SEND, AWAIT)                                                \
    static void NAME(size_t bytes, long times)                                     \
    {                                                                              \
        (void)bytes;                                                               \
        for (long i = 0; i < times; i++)                                           \
            if ((me < npes / 2) == (i % 2 == 0))                                   \
                SEND;                                                              \
            else                                                                   \
                AWAIT;                                                             \
    }
/* An atomic on one of many words in turn. */
#define AMO(NAME, TYPE, OP, END)                                                   \
    static void NAME(size_t bytes, long times)                                     \
    {                                                                              \
        TYPE *words = (TYPE *)(void *)there, seen = 0;                             \
        (void)bytes, (void)words;                                                  \
        for (long i = 0; i < times; i++) {                                         \
            OP;                                                                    \
        }                                                                          \
        END;                                                                       \
        sink += seen;                                                              \
    }

#ifndef PLAIN

static void barrier_all(void) { shmem_barrier_all(); }

CALL(put, shmem_putmem(there, here, bytes, peer); shmem_quiet())
CALL(get, shmem_getmem(here, there, bytes, peer))
CALL(barrier, shmem_barrier_all())

#define WORD &words[i % WORDS]
#define AMOS(L, T)                                                                                     \
    AMO(L##_fadd, T, seen ^= shmem_##L##_atomic_fetch_add(WORD, 3, peer), (void)0)                     \
    AMO(L##_finc, T, seen ^= shmem_##L##_atomic_fetch_inc(WORD, peer), (void)0)                        \
    AMO(L##_add, T, shmem_##L##_atomic_add(WORD, 3, peer), shmem_quiet())                              \
    AMO(L##_inc, T, shmem_##L##_atomic_inc(WORD, peer), shmem_quiet())                                 \
    AMO(L##_swap, T, seen ^= shmem_##L##_atomic_swap(WORD, 5, peer), (void)0)                          \
    AMO(L##_fetch, T, seen ^= shmem_##L##_atomic_fetch(WORD, peer), (void)0)                           \
    AMO(L##_set, T, shmem_##L##_atomic_set(WORD, 7, peer), shmem_quiet())                              \
    AMO(L##_cswap, T, seen ^= shmem_##L##_atomic_compare_swap(WORD, 5, 5, peer), (void)0)

/* Before OpenSHMEM 1.5 there is only the form for active sets. One sync array does for all kinds. */
#if SPEC >= 105
#define FORM(TEAM, ACTIVE) TEAM
#else
#define FORM(TEAM, ACTIVE) ACTIVE
#endif
#define SYNC_SIZE                                                                                       \
    (SHMEM_BCAST_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE  \
     + SHMEM_ALLTOALLS_SYNC_SIZE)
static long sync_words[SYNC_SIZE];
static int *work;
#define ALL SHMEM_TEAM_WORLD
#define SET 0, 0, npes

COLLECTIVE(broadcast, FORM(shmem_int_broadcast(ALL, dest, source, n, 0),
                           shmem_broadcast32(dest, source, n, 0, SET, sync_words)))
COLLECTIVE(collect, FORM(shmem_int_collect(ALL, dest, source, n), shmem_collect32(dest, source, n, SET, sync_words)))
COLLECTIVE(fcollect, FORM(shmem_int_fcollect(ALL, dest, source, n),
                          shmem_fcollect32(dest, source, n, SET, sync_words)))
COLLECTIVE(reduce, FORM(shmem_int_sum_reduce(ALL, dest, source, n),
                        shmem_int_sum_to_all(dest, source, n, SET, work, sync_words)))
COLLECTIVE(alltoall, FORM(shmem_int_alltoall(ALL, dest, source, n),
                          shmem_alltoall32(dest, source, n, SET, sync_words)))
COLLECTIVE(alltoalls, FORM(shmem_int_alltoalls(ALL, dest, source, STRIDE, STRIDE, n),
                           shmem_alltoalls32(dest, source, STRIDE, STRIDE, n, SET, sync_words)))
#if SPEC >= 106
COLLECTIVE(scan, shmem_int_sum_inscan(ALL, dest, source, n))
#endif

static uint64_t word, sent;
PINGPONG(put_signal,
         FORM(shmem_putmem_signal(there, here, bytes, &word, ++sent, SHMEM_SIGNAL_SET, peer),
              (shmem_putmem(there, here, bytes, peer), shmem_fence(), shmem_uint64_p(&word, ++sent, peer))),
         FORM((void)shmem_signal_wait_until(&word, SHMEM_CMP_EQ, ++sent),
              shmem_uint64_wait_until(&word, SHMEM_CMP_EQ, ++sent)))
PINGPONG(waits, shmem_uint64_p(&word, ++sent, peer), shmem_uint64_wait_until(&word, SHMEM_CMP_EQ, ++sent))

static long lock;
CALL(lock_alone, shmem_set_lock(&lock); shmem_clear_lock(&lock))
/* All PEs want the lock. PE 0 has it for the first 20 ms, so that the others come to wait for it: a PE that found it
 * free could take it many times before another has its core, and nothing would be handed over. */
static void lock_handover(size_t bytes, long times)
{
    double begun = bench_now_us();
    if (me == 0)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    if (me == 0)
        usleep(20000), shmem_clear_lock(&lock);
    paused += bench_now_us() - begun;
    lock_alone(bytes, times);
}

static double number; /* of each PE */
static double mean(double mine)
{
    double sum = 0;
    number = mine;
    shmem_barrier_all();
    for (int pe = 0; pe < npes && me == 0; pe++)
        sum += shmem_double_g(&number, pe);
    shmem_barrier_all();
    return sum / npes;
}

static long of_first(long mine)
{
    static long told;
    told = mine;
    shmem_barrier_all();
    long number = shmem_long_g(&told, 0);
    shmem_barrier_all();
    return number;
}

static void begin(size_t bytes, int create)
{
    (void)create;
    there = (char *)shmem_align(PAGE, bytes), here = (char *)shmem_align(PAGE, bytes);
    work = (int *)shmem_malloc(BENCH_LARGEST + SHMEM_REDUCE_MIN_WRKDATA_SIZE * sizeof(int));
    if (there == NULL || here == NULL || work == NULL) {
        fprintf(stderr, "no symmetric memory for %zu bytes on PE %d\n", bytes, me);
        shmem_global_exit(1);
    }
    memset(there, 0, bytes), memset(here, 0, bytes);
    for (int i = 0; i < SYNC_SIZE; i++)
        sync_words[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
}

#else

static MPI_Win window;
static int *counts, *places;
static MPI_Datatype strided;

static void barrier_all(void) { MPI_Barrier(MPI_COMM_WORLD); }

#define FLUSH MPI_Win_flush(peer, window)
CALL(put, MPI_Put(here, (int)bytes, MPI_BYTE, peer, 0, (int)bytes, MPI_BYTE, window); FLUSH)
CALL(get, MPI_Get(here, (int)bytes, MPI_BYTE, peer, 0, (int)bytes, MPI_BYTE, window); FLUSH)
CALL(barrier, MPI_Barrier(MPI_COMM_WORLD))

#define AT (i % WORDS * (MPI_Aint)sizeof seen)
#define AMOS(L, T, M)                                                                                           \
    static T L##_three = 3;                                                                                     \
    AMO(L##_fadd, T, MPI_Fetch_and_op(&L##_three, &seen, M, peer, AT, MPI_SUM, window); FLUSH, (void)0)         \
    AMO(L##_add, T, MPI_Accumulate(&L##_three, 1, M, peer, AT, 1, M, MPI_SUM, window); FLUSH, (void)0)          \
    AMO(L##_swap, T, MPI_Fetch_and_op(&L##_three, &seen, M, peer, AT, MPI_REPLACE, window); FLUSH, (void)0)     \
    AMO(L##_fetch, T, MPI_Fetch_and_op(NULL, &seen, M, peer, AT, MPI_NO_OP, window); FLUSH, (void)0)            \
    AMO(L##_set, T, MPI_Accumulate(&L##_three, 1, M, peer, AT, 1, M, MPI_REPLACE, window); FLUSH, (void)0)      \
    AMO(L##_cswap, T, MPI_Compare_and_swap(&L##_three, &L##_three, &seen, M, peer, AT, window); FLUSH, (void)0)

#define ALL MPI_COMM_WORLD
COLLECTIVE(broadcast, (void)source; MPI_Bcast(dest, n, MPI_INT, 0, ALL))
/* It is told everybody's length, which shmem_collect has to find out. */
COLLECTIVE(collect, for (int pe = 0; i == 0 && pe < npes; pe++) { counts[pe] = n; places[pe] = pe * n; }
           MPI_Allgatherv(source, n, MPI_INT, dest, counts, places, MPI_INT, ALL))
COLLECTIVE(fcollect, MPI_Allgather(source, n, MPI_INT, dest, n, MPI_INT, ALL))
COLLECTIVE(reduce, MPI_Allreduce(source, dest, n, MPI_INT, MPI_SUM, ALL))
COLLECTIVE(alltoall, MPI_Alltoall(source, n, MPI_INT, dest, n, MPI_INT, ALL))
COLLECTIVE(alltoalls, MPI_Alltoall(source, n, strided, dest, n, strided, ALL))
COLLECTIVE(scan, MPI_Scan(source, dest, n, MPI_INT, MPI_SUM, ALL))
PINGPONG(put_signal, MPI_Send(here, (int)bytes, MPI_CHAR, peer, 0, ALL),
         MPI_Recv(there, (int)bytes, MPI_CHAR, peer, 0, ALL, MPI_STATUS_IGNORE))
#define waits put_signal

static double mean(double mine)
{
    double sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / npes;
}

static long of_first(long mine)
{
    MPI_Bcast(&mine, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return mine;
}

/* A window that is open from start to end, as a library over it would have it; with `create` over memory that is not
 * MPI's. */
static void begin(size_t bytes, int create)
{
    here = aligned_alloc(PAGE, bytes);
    if (!create)
        MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &there, &window);
    else if ((there = aligned_alloc(PAGE, bytes)) != NULL)
        MPI_Win_create(there, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    counts = malloc((size_t)npes * sizeof *counts), places = malloc((size_t)npes * sizeof *places);
    if (here == NULL || there == NULL || counts == NULL || places == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(there, 0, bytes), memset(here, 0, bytes);
    MPI_Type_create_resized(MPI_INT, 0, STRIDE * (MPI_Aint)sizeof(int), &strided);
    MPI_Type_commit(&strided);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
}

#endif

/* Microseconds of a call in a batch, on PE 0. */
static double timed(call_fn *call, size_t bytes, long times, int everybody)
{
    double us = 0;
    barrier_all();
    if (everybody || me == 0) {
        double begun = bench_now_us();
        paused = 0;
        call(bytes, times);
        us = (bench_now_us() - begun - paused) / (double)times;
    }
    if (everybody)
        return mean(us);
    barrier_all();
    return us;
}

static void row(const char *name, call_fn *call, size_t bytes, int everybody, int of, double batch_us)
{
    double us[BENCH_BATCHES];
    for (long times = 1;;) {
        double wanted = batch_us / (timed(call, bytes, times, everybody) + 1e-4);
        int enough = wanted < 4.0 * (double)times;
        /* A negative number is the last one. */
        times = of_first(enough ? -(wanted < 1 ? 1 : (long)wanted) : 4 * times);
        if (times < 0) {
            for (int i = 0; i < BENCH_BATCHES; i++)
                us[i] = timed(call, bytes, -times, everybody);
            break;
        }
    }
    if (me == 0)
        bench_row(name, bytes, bench_median(us, BENCH_BATCHES) / of);
}

#ifdef PLAIN
AMOS(int, int, MPI_INT)
AMOS(long, long, MPI_LONG)
#define AND_INCREMENTS(L)
#else
AMOS(int, int)
AMOS(long, long)
#define AND_INCREMENTS(L) {"atomics", #L "_finc", L##_finc, 0, 0}, {"atomics", #L "_inc", L##_inc, 0, 0},
#endif
#define ROWS(L)                                                                                            \
    AND_INCREMENTS(L){"atomics", #L "_fadd", L##_fadd, 0, 0}, {"atomics", #L "_add", L##_add, 0, 0},       \
        {"atomics", #L "_swap", L##_swap, 0, 0}, {"atomics", #L "_fetch", L##_fetch, 0, 0},                \
        {"atomics", #L "_set", L##_set, 0, 0}, {"atomics", #L "_cswap", L##_cswap, 0, 0}

/* What is asked for, the row's name, whether messages have sizes, whether all PEs call. Open MPI 4.1.4 ends in the
 * compare-and-swap of an int, which is the last row, and not one of static memory. */
static const struct {
    const char *what, *name;
    call_fn *call;
    int sized, everybody;
} rows[] = {
    {"put", "put", put, 1, 0},
    {"get", "get", get, 1, 0},
    {"barrier", "barrier", barrier, 0, 1},
    {"broadcast", "broadcast", broadcast, 1, 1},
    {"collect", "collect", collect, 1, 1},
    {"fcollect", "fcollect", fcollect, 1, 1},
    {"reduce", "reduce", reduce, 1, 1},
    {"alltoall", "alltoall", alltoall, 1, 1},
    {"alltoalls", "alltoalls", alltoalls, 1, 1},
#if defined PLAIN || SPEC >= 106
    {"scan", "scan", scan, 1, 1},
#endif
    {"put_signal", "put_signal", put_signal, 1, 1},
    {"wait", "wait", waits, 0, 1},
#ifndef PLAIN
    {"lock", "lock_alone", lock_alone, 0, 0},
    {"lock", "lock_handover", lock_handover, 0, 1},
#endif
    ROWS(long),
    ROWS(int),
};

/* All rows that are asked for. `of`: where the memory is, which is a part of their names. */
static void print_rows(int argc, char **argv, const char *of)
{
    struct bench_options o = bench_parse(argc, argv);
    for (size_t r = 0; r < sizeof rows / sizeof *rows - (*of != 0); r++) {
        char name[64];
        int everybody = rows[r].everybody, parts = strcmp(rows[r].name, "lock_handover") == 0 ? npes : 1;
        if (!bench_has(argc, argv, rows[r].what) || (*of && (everybody || strcmp(rows[r].what, "lock") == 0)))
            continue;
        snprintf(name, sizeof name, "%s%s", rows[r].name, of);
        for (int s = 0; s < (rows[r].sized ? BENCH_SIZES : 1); s++) {
            size_t bytes = rows[r].sized ? bench_sizes[s] : 0;
            if (!rows[r].sized || (bytes >= o.min && bytes <= o.max))
                row(name, rows[r].call, bytes, everybody, parts, o.batch_us);
        }
    }
}

int main(int argc, char **argv)
{
#ifdef PLAIN
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_Comm_size(MPI_COMM_WORLD, &npes);
#else
    static char statics[2][BENCH_LARGEST + PAGE];
    shmem_init();
    me = shmem_my_pe(), npes = shmem_n_pes();
#endif
    if (npes % 2 != 0) {
        fprintf(stderr, "%s: needs an even number of PEs, has %d\n", argv[0], npes);
        exit(2);
    }
    peer = (me + npes / 2) % npes;
#ifndef PLAIN
    if (bench_has(argc, argv, "static")) {
        there = statics[0] + PAGE - (uintptr_t)statics[0] % PAGE;
        here = statics[1] + PAGE - (uintptr_t)statics[1] % PAGE;
        print_rows(argc, argv, "_static");
    }
#endif
    begin(STRIDE * (size_t)npes * BENCH_LARGEST, bench_has(argc, argv, "create"));
    print_rows(argc, argv, "");
#ifdef PLAIN
    MPI_Type_free(&strided);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
#else
    shmem_barrier_all();
    shmem_finalize();
#endif
    return 0;
}
