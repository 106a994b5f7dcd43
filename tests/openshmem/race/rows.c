/* The race detector, row by row of spec/race.effects: each case has a race on `racy_NAME`, whose order is missing, and
 * none on `ordered_NAME`, whose order is there. Built with -oshmpi-race, for 2 to 16 PEs. Each PE reads what the
 * detector has logged. With the argument `suppressed` a file of suppressions names all of the races. With `strict` the
 * races are expected, too, that the detector's option of this name adds. */

#define _GNU_SOURCE
#include "log.h"
#include <shmemx.h>

/* What 16 members collect: 1 + 2 + ... + 16 words. */
enum { WORDS = 136 };

static int me, n;
/* A PE that is not PE 0, and not PE 1 if there are more than two. */
static int last;
static int one_node;
static shmem_ctx_t ctx;
static volatile long sink;
static long source[WORDS] = {1, 2, 3, 4}, other[WORDS];
static long flags[3];
static uint64_t signal_word;

static void use(long value) { sink += value; }
static void sync_all(void) { shmem_sync_all(); }
static void done(void) { shmem_quiet(); shmem_sync_all(); }
/* PE 1 reads what PE 0 has written to it. */
static void read_by_1(long *v) { if (me == 1) use(v[0]); }

#define CASE(name, racy, ordered)                              \
    static long racy_##name[WORDS], ordered_##name[WORDS];     \
    static void do_##name(void)                                \
    {                                                          \
        long *v = racy_##name;                                 \
        racy;                                                  \
        shmem_ctx_quiet(ctx);                                  \
        shmem_barrier_all();                                   \
        v = ordered_##name;                                    \
        ordered;                                               \
        shmem_ctx_quiet(ctx);                                  \
        shmem_barrier_all();                                   \
    }
/* PE 0 writes to PE 1, which reads after a sync: a race without a quiet between. */
#define WRITES(name, call)                                     \
    CASE(name, { if (me == 0) call; sync_all(); read_by_1(v); },   \
         { if (me == 0) call; done(); read_by_1(v); })
/* PE 0 reads at PE 1, which writes. */
#define READS(name, call)                                      \
    CASE(name, { if (me == 0) call; if (me == 1) v[0] = 1; },  \
         { if (me == 0) call; done(); if (me == 1) v[0] = 1; })
/* What PE 0 uses until a quiet. `touch`: what it does meanwhile, and before. */
#define PENDING(name, call, touch)                             \
    CASE(name, { if (me == 0) { touch; call; touch; } },       \
         { if (me == 0) { touch; call; shmem_quiet(); touch; } })
/* PE 1 learns by `call` that PE 0 has set the flag, and what PE 0 put before. */
#define LEARNS(name, call)                                                                                          \
    CASE(name, { tell(v, flags); if (me == 1) { use(v[0]); call; } again(); },                                      \
         { tell(v, flags); if (me == 1) { call; use(v[0]); } again(); })

static void tell(long *v, long *flag)
{
    if (me == 0) {
        shmem_long_put(v, source, 2, 1);
        shmem_fence();
        shmem_long_atomic_set(flag, 1, 1);
    }
}

static void again(void)
{
    shmem_barrier_all();
    flags[0] = flags[1] = flags[2] = 0;
    signal_word = 0;
    shmem_barrier_all();
}

WRITES(put, shmem_long_put(v, source, 2, 1))
WRITES(putmem, shmem_putmem(v, source, 16, 1))
WRITES(put32, shmem_put32(v, source, 2, 1))
WRITES(put_one, shmem_long_put(v, source, 1, 1))
WRITES(p, shmem_long_p(v, 1, 1))
WRITES(iput, shmem_long_iput(v, source, 2, 1, 2, 1))
WRITES(ibput, shmem_long_ibput(v, source, 2, 2, 2, 2, 1))
WRITES(put_nbi, shmem_long_put_nbi(v, source, 2, 1))
WRITES(add, shmem_long_atomic_add(v, 1, 1))
WRITES(inc, shmem_long_atomic_inc(v, 1))
WRITES(set, shmem_long_atomic_set(v, 1, 1))
WRITES(bits, shmem_uint64_atomic_or((uint64_t *)v, 1, 1))
WRITES(signal_add, shmem_signal_add((uint64_t *)v, 1, 1))
WRITES(put_signal, shmem_long_put_signal(v, source, 2, &signal_word, 1, SHMEM_SIGNAL_SET, 1))
WRITES(signal_itself, shmem_long_put_signal(other, source, 2, (uint64_t *)v, 1, SHMEM_SIGNAL_SET, 1))
READS(get, shmem_long_get(other, v, 2, 1))
READS(g, use(shmem_long_g(v, 1)))
READS(iget, shmem_long_iget(other, v, 1, 2, 2, 1))
READS(ibget, shmem_long_ibget(other, v, 2, 2, 2, 2, 1))
READS(get_nbi, shmem_long_get_nbi(other, v, 2, 1))
READS(fetch, use(shmem_long_atomic_fetch(v, 1)))
READS(swap, use(shmem_long_atomic_swap(v, 1, 1)))
READS(cswap, use(shmem_long_atomic_compare_swap(v, 0, 1, 1)))
READS(fetch_add, use(shmem_long_atomic_fetch_add(v, 1, 1)))
READS(fetch_inc, use(shmem_long_atomic_fetch_inc(v, 1)))
PENDING(source_of_put_nbi, shmem_long_put_nbi(other, v, 2, 1), v[0] = 1)
PENDING(dest_of_get_nbi, shmem_long_get_nbi(v, other, 2, 1), use(v[0]))
PENDING(result_of_fetch_nbi, shmem_long_atomic_fetch_nbi(v, other, 1), use(v[0]))
PENDING(result_of_swap_nbi, shmem_long_atomic_swap_nbi(v, other, 1, 1), use(v[0]))
PENDING(source_of_put_signal_nbi,
        shmem_long_put_signal_nbi(other, v, 2, &signal_word, 1, SHMEM_SIGNAL_SET, 1), v[0] = 1)

/* Another type, or not an AMO, is not atomic. */
CASE(type, { if (me == 0) shmem_long_atomic_add(v, 1, 1); if (me == last) shmem_double_atomic_set((double *)v, 1, 1); },
     { if (me == 0) shmem_long_atomic_add(v, 1, 1); if (me == last) shmem_ulong_atomic_set((unsigned long *)v, 1, 1); })
/* Fence orders at one target, quiet at all. */
CASE(fence, { if (me == 0) { shmem_long_put(v, source, 2, 1); shmem_long_put(v, other, 2, 1); } },
     { if (me == 0) { shmem_long_put(v, source, 2, 1); shmem_fence(); shmem_long_put(v, other, 2, 1); } })
#define CHAIN(order)                                                                \
    {                                                                               \
        if (me == 0) { shmem_long_put(v, source, 2, 1); order; shmem_long_atomic_set(flags, 1, 2); } \
        if (me == 2) { shmem_long_wait_until(flags, SHMEM_CMP_EQ, 1); use(shmem_long_g(v, 1)); }     \
        again();                                                                    \
    }
CASE(other_target, CHAIN(shmem_fence()), CHAIN(shmem_quiet()))
static int one = 1, two = 2;
CASE(pe_quiet, CHAIN(shmem_pe_quiet(&two, 1)), CHAIN(shmem_pe_quiet(&one, 1)))
CASE(context, { if (me == 0) shmem_ctx_long_put(ctx, v, source, 2, 1); shmem_barrier_all(); read_by_1(v); },
     { if (me == 0) shmem_ctx_long_put(ctx, v, source, 2, 1); shmem_ctx_quiet(ctx); sync_all(); read_by_1(v); })
/* A team's contexts end with it, and what they have under way is complete then. */
static void by_team(long *v, int ends_first)
{
    shmem_team_t team;
    shmem_ctx_t its;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team);
    CHECK(shmem_team_create_ctx(team, 0, &its) == 0);
    if (me == 0)
        shmem_ctx_long_put(its, v, source, 2, 1);
    if (ends_first)
        shmem_team_destroy(team);
    shmem_barrier_all();
    read_by_1(v);
    if (!ends_first)
        shmem_team_destroy(team);
}
CASE(team_destroy, by_team(v, 0), by_team(v, 1))
/* A signal says something of its own data only. */
CASE(data_of_signal,
     { if (me == 0) { shmem_long_put(v, source, 2, 1);
                      shmem_long_put_signal(other, source, 2, &signal_word, 1, SHMEM_SIGNAL_SET, 1); }
       if (me == 1) { shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1); use(v[0]); } again(); },
     { if (me == 0) shmem_long_put_signal(v, source, 2, &signal_word, 1, SHMEM_SIGNAL_SET, 1);
       if (me == 1) { shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1); use(v[0]); } again(); })
CASE(signal_fetch,
     { if (me == 0) { shmem_long_put(v, source, 2, 1); shmem_signal_set(&signal_word, 1, 1); }
       if (me == 1) { while (shmem_signal_fetch(&signal_word) != 1) {} use(v[0]); } again(); },
     { if (me == 0) { shmem_long_put(v, source, 2, 1); shmem_fence(); shmem_signal_set(&signal_word, 1, 1); }
       if (me == 1) { while (shmem_signal_fetch(&signal_word) != 1) {} use(v[0]); } again(); })
static const int none[3];
static const long ones[3] = {1, 1, 1};
static size_t found[3];
LEARNS(wait_until, shmem_long_wait_until(flags, SHMEM_CMP_EQ, 1))
LEARNS(wait_all, shmem_long_wait_until_all(flags, 1, none, SHMEM_CMP_EQ, 1))
LEARNS(wait_any, shmem_long_wait_until_any(flags, 3, none, SHMEM_CMP_EQ, 1))
LEARNS(wait_some, shmem_long_wait_until_some(flags, 3, found, none, SHMEM_CMP_EQ, 1))
LEARNS(wait_all_vector, shmem_long_wait_until_all_vector(flags, 1, none, SHMEM_CMP_EQ, ones))
LEARNS(wait_any_vector, shmem_long_wait_until_any_vector(flags, 3, none, SHMEM_CMP_EQ, ones))
LEARNS(wait_some_vector, shmem_long_wait_until_some_vector(flags, 3, found, none, SHMEM_CMP_EQ, ones))
LEARNS(test, while (!shmem_long_test(flags, SHMEM_CMP_EQ, 1)) {})
LEARNS(test_all, while (!shmem_long_test_all(flags, 1, none, SHMEM_CMP_EQ, 1)) {})
LEARNS(test_any, while (shmem_long_test_any(flags, 3, none, SHMEM_CMP_EQ, 1) == SIZE_MAX) {})
LEARNS(test_some, while (!shmem_long_test_some(flags, 3, found, none, SHMEM_CMP_EQ, 1)) {})
LEARNS(atomic_fetch, while (shmem_long_atomic_fetch(flags, 1) != 1) {})

static long lock;
static void under_lock(long *v) { shmem_set_lock(&lock); shmem_long_put(v, source, 2, last); shmem_clear_lock(&lock); }
static void try_lock(long *v)
{
    while (shmem_test_lock(&lock)) {}
    shmem_long_put(v, source, 2, last);
    shmem_clear_lock(&lock);
}
CASE(lock, { if (me == 0) under_lock(v); if (me == 1) shmem_long_put(v, source, 2, last); },
     { if (me < 2) under_lock(v); })
CASE(test_lock, { if (me == 0) try_lock(v); if (me == 1) shmem_long_put(v, source, 2, last); },
     { if (me < 2) try_lock(v); })

/* What completes and synchronises: a put before, a load after. */
#define SYNCS(name, only_syncs, completes)                                               \
    CASE(name, { if (me == 0) shmem_long_put(v, source, 2, 1); only_syncs; read_by_1(v); }, \
         { if (me == 0) shmem_long_put(v, source, 2, 1); completes; read_by_1(v); })
static long psync[SHMEM_COLLECT_SYNC_SIZE];
static shmem_team_t made;
static void split(void)
{
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &made);
    shmem_team_destroy(made);
}
static void malloc_free(size_t bytes) { shmem_free(shmem_malloc(bytes)); }
SYNCS(barrier_all, shmem_sync_all(), shmem_barrier_all())
SYNCS(team_sync, shmem_team_sync(SHMEM_TEAM_WORLD), { shmem_quiet(); shmem_team_sync(SHMEM_TEAM_WORLD); })
SYNCS(barrier_set, shmem_sync(0, 0, n, psync), shmem_barrier(0, 0, n, psync))
SYNCS(heap, malloc_free(0), malloc_free(8))
SYNCS(calloc, shmem_free(shmem_calloc(0, 8)), shmem_free(shmem_calloc(2, 8)))
SYNCS(align, shmem_free(shmem_align(64, 0)), shmem_free(shmem_align(64, 8)))
/* A space; none between nodes with OSHMPI_TRANSPORT=rma, where the row stands for a barrier. */
static shmemx_space_t space;
static void make_space(void)
{
    const shmemx_space_config_t config = {.size = 4096};
    if (shmemx_space_create(&config, SHMEM_TEAM_WORLD, &space))
        shmem_sync_all();
}
static void in_space(size_t bytes)
{
    if (space)
        shmemx_space_free(space, shmemx_space_malloc(space, bytes));
    else if (bytes)
        shmem_barrier_all();
}
static void end_space(void)
{
    if (space)
        shmemx_space_destroy(space);
    else
        shmem_barrier_all();
}
SYNCS(space_create, make_space(), { end_space(); make_space(); })
SYNCS(space_malloc, in_space(0), in_space(8))
static void zeros_in_space(void)
{
    if (space)
        shmemx_space_free(space, shmemx_space_calloc(space, 2, 8));
    else
        shmem_barrier_all();
}
SYNCS(space_calloc, in_space(0), zeros_in_space())
/* A block of a space of two PEs is freed as one of the heap: the other PEs have no part in it. */
static void free_of_two(void)
{
    const shmemx_space_config_t config = {.size = 4096};
    shmemx_space_t its;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &made);
    if (me < 2) {
        if (shmemx_space_create(&config, made, &its) == 0) {
            shmem_free(shmemx_space_malloc(its, 8));
            shmemx_space_destroy(its);
        }
        shmem_team_destroy(made);
    }
    shmem_barrier_all();
}
/* `last` uses what PE 0 puts after it. */
#define AFTER(before, completes)                         \
    {                                                    \
        before;                                          \
        if (me == 0) shmem_long_put(v, source, 2, last); \
        completes;                                       \
        if (me == last) use(v[0]);                       \
    }
CASE(space_free, AFTER(split(), sync_all()), AFTER(free_of_two(), shmem_barrier_all()))
SYNCS(realloc, shmem_free(NULL), shmem_free(shmem_realloc(NULL, 8)))
SYNCS(split, split(), { shmem_quiet(); split(); })
/* Two of three PEs synchronise. */
#define SOME(log, others)                                                                        \
    {                                                                                            \
        if (me == 0) shmem_long_put(v, source, 2, 1);                                            \
        shmem_quiet();                                                                           \
        if (me == 0 || me == others) shmem_sync(0, log, 2, psync);                               \
        read_by_1(v);                                                                            \
    }
CASE(members, SOME(1, 2), SOME(0, 1))

/* A member that has called writes the destination of the others. PE 1 reads it before it calls. */
#define FILLS(name, call) CASE(name, { read_by_1(v); call; }, { read_by_1(v); sync_all(); call; })
/* Roots of different teams do not wait for each other. */
static shmem_team_t teams[2];
static void by_teams(long *v, int syncs)
{
    shmem_long_broadcast(teams[0], v, source, 2, 0);
    if (syncs)
        shmem_sync_all();
    shmem_long_broadcast(teams[1], v, source, 2, n - 1);
}
CASE(teams, by_teams(v, 0), by_teams(v, 1))
FILLS(broadcast, shmem_long_broadcast(SHMEM_TEAM_WORLD, v, source, 2, 0))
FILLS(broadcast_set, shmem_broadcast64(v, source, 2, 0, 0, 0, n, psync))
FILLS(collect, shmem_long_collect(SHMEM_TEAM_WORLD, v, source, me + 1))
FILLS(fcollect, shmem_long_fcollect(SHMEM_TEAM_WORLD, v, source, 2))
FILLS(alltoall, shmem_long_alltoall(SHMEM_TEAM_WORLD, v, source, 2))
FILLS(alltoalls, shmem_long_alltoalls(SHMEM_TEAM_WORLD, v, source, 2, 1, 2))
/* By the text, a member that has called writes the results of the others. */
FILLS(strict_reduce, shmem_long_sum_reduce(SHMEM_TEAM_WORLD, v, source, 2))
FILLS(strict_inscan, shmem_long_sum_inscan(SHMEM_TEAM_WORLD, v, source, 2))
/* When one member returns, the others may still be at it. */
#define RETURNS(name, call)                                                             \
    CASE(name, { call; if (me == 0) shmem_long_put(v, source, 2, 1); },                 \
         { call; sync_all(); if (me == 0) shmem_long_put(v, source, 2, 1); })
RETURNS(reduce, shmem_long_sum_reduce(SHMEM_TEAM_WORLD, v, source, 2))
static long pwrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
RETURNS(to_all, shmem_long_sum_to_all(v, source, 2, 0, 0, n, pwrk, psync))
RETURNS(inscan, shmem_long_sum_inscan(SHMEM_TEAM_WORLD, v, source, 2))
RETURNS(exscan, shmem_long_sum_exscan(SHMEM_TEAM_WORLD, v, source, 2))

/* What a collective that was started uses until it is complete. */
#define STARTS(name, start, completes, touch)                                           \
    CASE(name, { shmemx_req_t req; start; touch; completes; },                          \
         { shmemx_req_t req; start; completes; touch; })
#define STARTED(name, start) STARTS(name, start, shmemx_req_wait(&req), if (me == 0) use(v[0]))
STARTED(broadcast_nb, shmemx_long_broadcast_nb(SHMEM_TEAM_WORLD, v, source, 2, last, &req))
STARTED(collect_nb, shmemx_long_collect_nb(SHMEM_TEAM_WORLD, v, source, me + 1, &req))
STARTS(source_of_collect_nb, shmemx_long_collect_nb(SHMEM_TEAM_WORLD, other, v, me + 1, &req),
       while (shmemx_req_test(&req)), if (me == 0) v[0] = 1)
/* The last of all words, and what is behind it. */
static void store_during_collect(long *v, int at)
{
    shmemx_req_t req;
    shmemx_long_collect_nb(SHMEM_TEAM_WORLD, v, source, me + 1, &req);
    if (me == 0 && at < WORDS)
        v[at] = 1;
    shmemx_req_wait(&req);
}
CASE(end_of_collect_nb, store_during_collect(v, n * (n + 1) / 2 - 1), store_during_collect(v, n * (n + 1) / 2))
STARTS(put_into_collect_nb, shmemx_long_collect_nb(SHMEM_TEAM_WORLD, v, source, me + 1, &req),
       { shmemx_req_wait(&req); sync_all(); }, if (me == 1) shmem_long_put(v, source, 2, 0))
STARTED(fcollect_nb, shmemx_long_fcollect_nb(SHMEM_TEAM_WORLD, v, source, 2, &req))
STARTED(alltoall_nb, shmemx_long_alltoall_nb(SHMEM_TEAM_WORLD, v, source, 2, &req))
STARTED(alltoalls_nb, shmemx_long_alltoalls_nb(SHMEM_TEAM_WORLD, v, source, 2, 1, 2, &req))
STARTED(reduce_nb, shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, v, source, 2, &req))
STARTED(inscan_nb, shmemx_long_sum_inscan_nb(SHMEM_TEAM_WORLD, v, source, 2, &req))
STARTED(exscan_nb, shmemx_long_sum_exscan_nb(SHMEM_TEAM_WORLD, v, source, 2, &req))
STARTS(source_nb, shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, other, v, 2, &req), while (shmemx_req_test(&req)),
       if (me == 0) v[0] = 1)
STARTS(barrier_all_nb, { if (me == 0) shmem_long_put(v, source, 2, 1); shmemx_barrier_all_nb(&req); },
       shmemx_req_wait(&req), read_by_1(v))
static void put_first(long *v) { if (me == 0) shmem_long_put(v, source, 2, 1); shmem_quiet(); }
STARTS(sync_nb, { put_first(v); shmemx_sync_nb(SHMEM_TEAM_WORLD, &req); }, shmemx_req_wait(&req), read_by_1(v))
/* Two under way at a time, with many numbers of requests: both end, and order what they order. */
static void two_at_a_time(long *v, int ends)
{
    shmemx_req_t one, two;
    for (int i = 0; i < 12; i++) {
        shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, other, source, 2, &one);
        shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, v, source + 2, 2, &two);
        shmemx_req_wait(&one);
        if (ends)
            shmemx_req_wait(&two);
        other[0] = source[0] = 1;
        v[0] = 1;
        if (!ends)
            shmemx_req_wait(&two);
        again();
    }
}
CASE(two_nb, { two_at_a_time(v, 0); }, { two_at_a_time(v, 1); })

/* A session says how a context will be used, and completes nothing. */
static void session(long *v)
{
    if (me == 0) {
        shmem_ctx_session_start(ctx, 0, NULL, 0);
        shmem_ctx_long_put(ctx, v, source, 2, 1);
        shmem_ctx_session_stop(ctx);
    }
}
CASE(session, { session(v); sync_all(); read_by_1(v); },
     { session(v); shmem_ctx_quiet(ctx); sync_all(); read_by_1(v); })
/* PE 0 uses the same memory of PE 1 in two rounds. PE 1 says in the first one that it has read: too early, or then. */
static void rounds(long *v, int too_early)
{
    for (int i = 1; i <= 2; i++) {
        if (me == 0 && i == 2)
            shmem_long_wait_until(flags, SHMEM_CMP_EQ, 1);
        tell(v, flags + i);
        if (me == 1) {
            shmem_long_wait_until(flags + i, SHMEM_CMP_EQ, 1);
            if (!too_early)
                use(v[0]);
            shmem_long_atomic_set(flags, 1, 0);
            if (too_early)
                use(v[0]);
        }
    }
    again();
}
CASE(reuse, rounds(v, 1), rounds(v, 0))
/* PE 1 hears of PE 0's put by PE 2. */
#define RELAY(order)                                                                                              \
    {                                                                                                             \
        if (me == 0) { shmem_long_put(v, source, 2, 1); order; shmem_long_atomic_set(flags, 1, 2); }                \
        if (me == 2) { shmem_long_wait_until(flags, SHMEM_CMP_EQ, 1); shmem_long_atomic_set(flags + 1, 1, 1); }     \
        if (me == 1) { shmem_long_wait_until(flags + 1, SHMEM_CMP_EQ, 1); use(v[0]); }                              \
        again();                                                                                                  \
    }
CASE(relay, RELAY(shmem_fence()), RELAY(shmem_quiet()))
/* What a thread does again and again is noted once, and what it does to other bytes is noted then. */
static void store_half(long *v, int half)
{
    if (me == 0)
        shmem_putmem(v, source, 4, 1);
    for (int i = 0; me == 1 && i < 3; i++)
        ((volatile int *)v)[1] = i;
    if (me == 1)
        ((volatile int *)v)[half] = 7;
}
CASE(halves, store_half(v, 0), store_half(v, 1))
static void often(long *v, int synced)
{
    for (int i = 0; i < 3; i++)
        read_by_1(v + i % 2);
    if (synced)
        sync_all();
    if (me == 0)
        shmem_long_put(v, source, 2, 1);
}
CASE(often, often(v, 0), often(v, 1))

/* Stores through a peer's pointer; memory and string functions; parts of a word. */
static void store_at_1(long *v) { if (me == 0) *(volatile long *)shmem_ptr(v, 1) = 1; }
CASE(ptr, { store_at_1(v); read_by_1(v); }, { store_at_1(v); sync_all(); read_by_1(v); })
static volatile size_t length = 16;
CASE(memcpy, { if (me == 0) shmem_long_put(v, source, 2, 1); if (me == 1) memcpy(other + 8, v, length); },
     { if (me == 0) shmem_long_put(v, source, 2, 1); done(); if (me == 1) memcpy(other + 8, v, length); })
CASE(bytes, { if (me == 0) shmem_putmem(v, source, 5, 1); if (me == 1) ((volatile char *)v)[4] = 1; },
     { if (me == 0) shmem_putmem(v, source, 4, 1); if (me == 1) ((volatile char *)v)[4] = 1; })

#define ALL(X)                                                                                                    \
    X(put) X(putmem) X(put32) X(put_one) X(p) X(iput) X(ibput) X(put_nbi) X(add) X(inc) X(set) X(bits)            \
    X(signal_add) X(put_signal) X(signal_itself) X(get) X(g) X(iget) X(ibget) X(get_nbi) X(fetch) X(swap)         \
    X(cswap) X(fetch_add) X(fetch_inc) X(source_of_put_nbi) X(dest_of_get_nbi) X(result_of_fetch_nbi)             \
    X(result_of_swap_nbi) X(source_of_put_signal_nbi) X(type) X(fence) X(other_target) X(pe_quiet) X(context)     \
    X(team_destroy) X(data_of_signal) X(signal_fetch) X(wait_until) X(wait_all) X(wait_any) X(wait_some)          \
    X(wait_all_vector) X(wait_any_vector) X(wait_some_vector) X(test) X(test_all) X(test_any) X(test_some)        \
    X(atomic_fetch) X(lock) X(test_lock) X(barrier_all) X(team_sync) X(barrier_set) X(heap) X(calloc) X(align)    \
    X(realloc) X(split) X(teams) X(members) X(broadcast) X(broadcast_set) X(collect) X(fcollect) X(alltoall)  \
    X(alltoalls) X(strict_reduce) X(strict_inscan) X(reduce) X(to_all) X(inscan) X(exscan) X(ptr) X(memcpy) X(bytes)  \
    X(session) X(reuse) X(relay) X(halves) X(often) X(broadcast_nb) X(fcollect_nb) X(alltoall_nb) X(alltoalls_nb)    \
    X(reduce_nb) X(inscan_nb) X(exscan_nb) X(source_nb) X(barrier_all_nb) X(sync_nb) X(two_nb) X(collect_nb)        \
    X(source_of_collect_nb) X(end_of_collect_nb) X(put_into_collect_nb) X(space_create) X(space_malloc)             \
    X(space_calloc) X(space_free)

struct row { const char *name; void (*run)(void); };
#define ROW(name) {#name, do_##name},
static const struct row rows[] = {ALL(ROW)};
enum { ROWS = sizeof rows / sizeof *rows };
static unsigned char seen[2][ROWS], seen_by_all[2][ROWS];

/* Whether a case has three PEs in it. */
static int has_three(const char *name)
{
    static const char *const those[] = {"other_target", "pe_quiet", "members", "relay"};
    int found = 0;
    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        found |= strcmp(name, those[i]) == 0;
    return found;
}

/* Whether a case can run here. Pointers lead to PEs of one node. */
static int runs(const char *name)
{
    return !(n == 2 && has_three(name)) && !(strcmp(name, "ptr") == 0 && !one_node);
}

/* Whether a case is a race of the program that runs. */
static int is_raced(const char *name, const char *with)
{
    if (strcmp(with, "suppressed") == 0 || !runs(name))
        return 0;
    return strncmp(name, "strict_", 7) != 0 || strcmp(with, "strict") == 0;
}

static void suppress(void)
{
    static const char patterns[] = "# of this program\nrace:racy_*\n";
    char options[100];
    int fd;
    snprintf(options, sizeof options, "suppressions=%s", nameless(&fd));
    setenv("OSHMPI_RACE", options, 1);
    CHECK(write(fd, patterns, sizeof patterns - 1) == (ssize_t)(sizeof patterns - 1));
}

int main(int argc, char **argv)
{
    const char *with = argc > 1 ? argv[1] : "";
    log_start();
    if (strcmp(with, "suppressed") == 0)
        suppress();
    t_init();
    me = t_me;
    n = t_npes;
    last = n > 2 ? 2 : 1;
    one_node = shmem_team_n_pes(SHMEM_TEAM_SHARED) == n;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    for (int i = 0; i < 2; i++)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &teams[i]);
    for (int i = 0; i < ROWS; i++)
        if (runs(rows[i].name))
            rows[i].run();
    shmem_ctx_destroy(ctx);

    char *log = log_text();
    for (int i = 0; i < ROWS; i++) {
        seen[0][i] = logged(log, "racy", rows[i].name) != 0;
        seen[1][i] = logged(log, "ordered", rows[i].name) != 0;
    }
    shmem_barrier_all();
    shmem_uchar_max_reduce(SHMEM_TEAM_WORLD, seen_by_all[0], seen[0], 2 * ROWS);
    for (int i = 0; i < ROWS && me == 0; i++) {
        t_what = rows[i].name;
        CHECK(seen_by_all[0][i] == is_raced(rows[i].name, with));
        CHECK(seen_by_all[1][i] == 0);
    }
    free(log);
    int code = t_agree();
    fflush(stdout); /* the launcher may end the job when a PE has ended with the code of a race */
    shmem_finalize();
    return code;
}
