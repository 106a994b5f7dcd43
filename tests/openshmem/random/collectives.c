/* Teams and collectives in random order: splits of splits, and calls back to back without synchronisation in between,
 * on overlapping teams and active sets, with changing routines, types, roots, strides and buffers, and with sizes at
 * which the library takes another algorithm, while PEs are late at random: nobody's source, result or work space may be
 * overrun by a PE that is ahead. The source is one buffer, written anew as soon as a call returns.
 * Team collectives are called or started. Each PE completes what it has started in an order of its own, by tests and
 * waits, between its other calls. With SHMEM_THREAD_MULTIPLE, which the seed decides, a second thread completes a part.
 * What is started has a source of its own, which is written anew as soon as it is complete.
 * Argument: number of rounds.
 * rules: 104 107 122 181 182 183 184 188 190 200 203 204 206 207 210 217 221 222 225 226 */
#include "random/random.h"

#include <shmemx.h>
#include <stdatomic.h>

enum { CALLS = 40, UNDER_WAY = 32, GROUPS = 8, MOST_PES = 128 };
enum { POOL = 10 << 20, MOST = 600 << 10, GUARD = 64, FILLER = 0x77 };

/* Bytes from which another algorithm may be taken (oshmpi/src/ops/coll/select.rs), of a member or of all. */
static const size_t borders[] = {0,    8,       24,       56,       256,      512,       1024,      2048,
                                 4096, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10};

/* The PEs of this PE's part: a split gives each PE one team at most, with the same shape from the same numbers. */
typedef struct {
    shmem_team_t team; /* SHMEM_TEAM_INVALID on PEs outside */
    int size, me, pe[MOST_PES];
} group;

/* --- what elements there are, and how they are combined */

static uint64_t common, own;

/* Element i that member `pe` of the world gives in call k: small, so that sums are exact in all types. */
static long value(int k, int pe, size_t i)
{
    return (long)((i * 0x9e3779b1u + (size_t)k * 7919 + (size_t)pe * 104729) >> 7 & 63) + 1;
}

typedef struct {
    const char *name;
    size_t size;
    void (*fill)(void *to, int k, int pe, size_t from, size_t n);
    void (*fold)(void *to, const void *with, size_t n);
    int (*reduce)(shmem_team_t, void *, const void *, size_t, shmemx_req_t *);
    int (*inscan)(shmem_team_t, void *, const void *, size_t, shmemx_req_t *);
    int (*exscan)(shmem_team_t, void *, const void *, size_t, shmemx_req_t *);
} operation;

/* Starts a collective if there is a request, else calls it. */
#define DO(NAME, ...) (req ? shmemx_##NAME##_nb(__VA_ARGS__, req) : shmem_##NAME(__VA_ARGS__))

#define FILL(NAME, T)                                                                 \
    static void fill_##NAME(void *to, int k, int pe, size_t from, size_t n)           \
    {                                                                                 \
        for (size_t i = 0; i < n; i++)                                                \
            ((T *)to)[i] = (T)value(k, pe, from + i);                                 \
    }
#define CALL(KIND, NAME, T)                                                           \
    static int KIND##_##NAME(shmem_team_t team, void *d, const void *s, size_t n, shmemx_req_t *req) \
    {                                                                                 \
        return DO(NAME##_##KIND, team, d, s, n);                                      \
    }
#define OPERATION(NAME, T, OP, RESULT)                                                \
    static void fold_##NAME##_##OP(void *to, const void *with, size_t n)              \
    {                                                                                 \
        for (size_t i = 0; i < n; i++) {                                              \
            const T a = ((T *)to)[i], b = ((const T *)with)[i];                       \
            ((T *)to)[i] = (T)(RESULT);                                               \
        }                                                                             \
    }                                                                                 \
    CALL(OP##_reduce, NAME, T)
#define SUM(NAME, T)                                                                  \
    FILL(NAME, T)                                                                     \
    OPERATION(NAME, T, sum, a + b)                                                    \
    CALL(sum_inscan, NAME, T)                                                         \
    CALL(sum_exscan, NAME, T)
SUM(long, long)
SUM(double, double)
SUM(int, int)
FILL(uint64, uint64_t)
OPERATION(uint64, uint64_t, prod, a *b)
FILL(short, short)
OPERATION(short, short, max, a > b ? a : b)
FILL(uchar, unsigned char)
OPERATION(uchar, unsigned char, xor, a ^ b)
OPERATION(uint64, uint64_t, and, a &b)

#define IS(NAME, T, OP) #NAME " " #OP, sizeof(T), fill_##NAME, fold_##NAME##_##OP, OP##_reduce_##NAME
#define SCANS(NAME) sum_inscan_##NAME, sum_exscan_##NAME
static const operation operations[] = {
    {IS(long, long, sum), SCANS(long)},       {IS(double, double, sum), SCANS(double)},
    {IS(int, int, sum), SCANS(int)},          {IS(uint64, uint64_t, prod), NULL, NULL},
    {IS(short, short, max), NULL, NULL},      {IS(uchar, unsigned char, xor), NULL, NULL},
    {IS(uint64, uint64_t, and), NULL, NULL},
};
enum { OPERATIONS = sizeof operations / sizeof *operations, LONG = 0, BYTE = 5 };

/* --- calls */

enum { BROADCAST, COLLECT, FCOLLECT, ALLTOALL, REDUCE, REDUCE_IN_PLACE, SET_KINDS, INSCAN = SET_KINDS, EXSCAN,
       ALLTOALLS, PUT_AND_SYNC, KINDS };
static const char *const names[] = {"broadcast", "collect", "fcollect", "alltoall", "reduce", "reduce in place",
                                    "inscan", "exscan", "alltoalls", "put and sync"};
typedef struct {
    int kind, is_set, is_started, root, start, log_stride;
    size_t n, dst, sst, at, span; /* elements, strides, and the place in the pool */
    const operation *op;
    group g;
    shmemx_req_t req;
} call;

/* Sources of what is started have the places of the results; behind these is the source of all other calls. */
enum { SOURCES = POOL + 3 * MOST };
static unsigned char static_pool[POOL], static_source[SOURCES], *pool, *source, *heap;
static long sync_[CALLS][SHMEM_SYNC_SIZE];
static call calls[CALLS];

static unsigned char *source_of(const call *c) { return source + (c->is_started ? c->at : POOL); }

static size_t count_of(const call *c, int member) { return c->n / (size_t)(1 + member % 3); }

static void group_of_set(call *c)
{
    const int start = (int)r_below(&common, (unsigned)t_npes), log_stride = (int)r_below(&common, 3);
    c->start = start;
    c->log_stride = log_stride;
    c->g.team = SHMEM_TEAM_INVALID;
    c->g.size = 1 + (int)r_below(&common, (unsigned)((t_npes - 1 - start) >> log_stride) + 1);
    c->g.me = -1;
    for (int m = 0; m < c->g.size; m++)
        if ((c->g.pe[m] = start + (m << log_stride)) == t_me)
            c->g.me = m;
}

/* What the next call is, from the same numbers on all PEs. `starts`: of three calls of teams so many are started. */
static call next(const group *groups, unsigned starts, size_t *used)
{
    call c = {0};
    size_t bytes, blocks;
    c.is_set = r_below(&common, 4 + 4 * starts) == 0;
    c.is_started = !c.is_set && r_below(&common, 3) < starts;
    c.kind = (int)r_below(&common, c.is_set ? SET_KINDS : KINDS);
    c.dst = 1 + r_below(&common, 3);
    c.sst = 1 + r_below(&common, 3);
    c.op = &operations[r_below(&common, c.kind == INSCAN || c.kind == EXSCAN ? 3 : OPERATIONS)];
    if (c.kind < REDUCE)
        c.op = &operations[r_below(&common, 2) ? BYTE : LONG];
    if (c.is_set || c.kind == ALLTOALLS || c.kind == PUT_AND_SYNC)
        c.op = &operations[LONG];
    if (c.is_set)
        group_of_set(&c);
    else
        c.g = groups[r_below(&common, GROUPS)];
    const int is_total = (int)r_below(&common, 2), large = r_below(&common, 8) == 0;
    bytes = borders[r_below(&common, large ? sizeof borders / sizeof *borders : 12)] + c.op->size * r_below(&common, 3);
    bytes -= bytes > c.op->size ? c.op->size : 0;
    /* Blocks in dest, at most, and so many bytes for work space. */
    blocks = c.kind >= REDUCE || c.kind == BROADCAST ? 1 : (size_t)t_npes;
    if (c.kind == ALLTOALLS)
        blocks = 3 * (size_t)t_npes;
    if (bytes * blocks > MOST || *used + bytes * (blocks + 1) + 3 * GUARD > POOL)
        bytes = c.op->size;
    c.at = *used;
    c.span = bytes * blocks;
    *used += (c.span + 2 * GUARD + (c.is_set ? bytes + 8 * SHMEM_REDUCE_MIN_WRKDATA_SIZE : 0) + 63) & ~(size_t)63;
    c.n = bytes / c.op->size / (is_total && c.g.size ? (size_t)c.g.size : 1);
    c.root = (int)(r_below(&common, 1000) % (unsigned)(c.g.size ? c.g.size : 1));
    return c;
}

static void do_set(const call *c, int k)
{
    const int start = c->start, log_stride = c->log_stride, size = c->g.size;
    long *d = (long *)(void *)(pool + c->at), *s = (long *)(void *)source_of(c), *p = sync_[k];
    switch (c->kind) {
    case BROADCAST: shmem_broadcast64(d, s, c->n, c->root, start, log_stride, size, p); break;
    case COLLECT: shmem_collect64(d, s, count_of(c, c->g.me), start, log_stride, size, p); break;
    case FCOLLECT: shmem_fcollect64(d, s, c->n, start, log_stride, size, p); break;
    case ALLTOALL: shmem_alltoall64(d, s, c->n, start, log_stride, size, p); break;
    default:
        shmem_long_sum_to_all(d, c->kind == REDUCE ? s : d, (int)c->n, start, log_stride, size,
                              (long *)(void *)(pool + c->at + ((c->span + GUARD + 7) & ~(size_t)7)), p);
    }
}

static int do_team(call *c, int k)
{
    const int is_long = c->op->size == sizeof(long);
    shmem_team_t team = c->g.team;
    shmemx_req_t *req = c->is_started ? &c->req : NULL;
    void *d = pool + c->at, *s = source_of(c);
    switch (c->kind) {
    case BROADCAST:
        return is_long ? DO(long_broadcast, team, d, s, c->n, c->root) : DO(broadcastmem, team, d, s, c->n, c->root);
    case COLLECT:
        return is_long ? DO(long_collect, team, d, s, count_of(c, c->g.me))
                       : DO(collectmem, team, d, s, count_of(c, c->g.me));
    case FCOLLECT: return is_long ? DO(long_fcollect, team, d, s, c->n) : DO(fcollectmem, team, d, s, c->n);
    case ALLTOALL: return is_long ? DO(long_alltoall, team, d, s, c->n) : DO(alltoallmem, team, d, s, c->n);
    case ALLTOALLS: return DO(long_alltoalls, team, d, s, (ptrdiff_t)c->dst, (ptrdiff_t)c->sst, c->n);
    case REDUCE: return c->op->reduce(team, d, s, c->n, req);
    case REDUCE_IN_PLACE: return c->op->reduce(team, d, d, c->n, req);
    case INSCAN: return c->op->inscan(team, d, s, c->n, req);
    case EXSCAN: return c->op->exscan(team, d, s, c->n, req);
    default:
        if (c->n > 0)
            shmem_long_p(d, value(k, t_me, 0), c->g.pe[(c->g.me + 1) % c->g.size]);
        if (req && team == SHMEM_TEAM_WORLD)
            return shmemx_barrier_all_nb(req);
        shmem_quiet();
        return req ? shmemx_sync_nb(team, req) : shmem_team_sync(team);
    }
}

/* Writes what this PE gives: blocks for all in an alltoall. */
static void give(const call *c, int k)
{
    const size_t n = c->kind == ALLTOALL || c->kind == ALLTOALLS ? c->n * (size_t)c->g.size : c->n;
    const size_t stride = c->kind == ALLTOALLS ? c->sst : 1;
    for (size_t i = 0; stride > 1 && i < n; i++)
        c->op->fill(source_of(c) + i * stride * c->op->size, k, t_me, i, 1);
    if (stride == 1)
        c->op->fill(source_of(c), k, t_me, 0, n);
}

/* Writes into `want` what the call should give this PE. */
static void expect(const call *c, int k, unsigned char *want)
{
    const size_t size = c->op->size, block = c->n * size, me = (size_t)c->g.me;
    const int first = c->kind == INSCAN || c->kind == EXSCAN, last = c->kind == INSCAN ? c->g.me + 1 : c->g.me;
    unsigned char *to = want, *one = want + c->span + GUARD;
    memset(want, FILLER, c->span + GUARD);
    switch (c->kind) {
    case BROADCAST:
        if (!c->is_set || c->g.me != c->root)
            c->op->fill(to, k, c->g.pe[c->root], 0, c->n);
        return;
    case PUT_AND_SYNC:
        c->op->fill(to, k, c->g.pe[(c->g.me + c->g.size - 1) % c->g.size], 0, c->n > 0);
        return;
    case COLLECT:
        for (int m = 0; m < c->g.size; to += count_of(c, m++) * size)
            c->op->fill(to, k, c->g.pe[m], 0, count_of(c, m));
        return;
    case FCOLLECT:
    case ALLTOALL:
        for (int m = 0; m < c->g.size; m++)
            c->op->fill(to + (size_t)m * block, k, c->g.pe[m], c->kind == ALLTOALL ? me * c->n : 0, c->n);
        return;
    case ALLTOALLS:
        for (size_t i = 0; i < c->n * (size_t)c->g.size; i++)
            c->op->fill(to + i * c->dst * size, k, c->g.pe[i / c->n], me * c->n + i % c->n, 1);
        return;
    default:
        memset(to, 0, block);
        for (int m = 0; m < (first ? last : c->g.size); m++) {
            c->op->fill(m ? one : to, k, c->g.pe[m], 0, c->n);
            if (m)
                c->op->fold(to, one, c->n);
        }
    }
}

/* `want`: room for what the call should give. */
static void check_call(const call *c, int k, unsigned char *want)
{
    const unsigned char *got = pool + c->at;
    size_t i = 0;
    expect(c, k, want);
    if (!memcmp(got, want, c->span + GUARD))
        return;
    while (got[i] == want[i])
        i++;
    t_fail(__FILE__, __LINE__, "%s %d, %s of %zu %s, member %d of %s of %d: byte %zu is 0x%02x, expected 0x%02x",
           c->is_started ? "start" : "call", k, names[c->kind], c->n, c->op->name, c->g.me,
           c->is_set ? "a set" : "a team", c->g.size, i, got[i], want[i]);
}

/* --- what is under way */

/* A thread, and the starts that it is to complete. */
typedef struct {
    uint64_t draws;
    unsigned char *want;
    int n, held[CALLS];
} completer;

static completer starter, helper;
static int has_helper;
/* From the starter to the helper, in this order. */
static int handed[CALLS];
static atomic_int n_handed, is_last;

/* Tests or waits for any of the starts that a thread holds. */
static void complete_one(completer *by, int must)
{
    const int i = (int)r_below(&by->draws, (unsigned)by->n), k = by->held[i];
    call *c = &calls[k];
    if (r_below(&by->draws, 2))
        shmemx_req_wait(&c->req);
    else
        while (shmemx_req_test(&c->req) != 0)
            if (!must)
                return;
    CHECK(c->req == SHMEMX_REQ_INVALID);
    by->held[i] = by->held[--by->n];
    check_call(c, k, by->want);
    memset(source_of(c), FILLER, c->span);
}

static void *help(void *unused)
{
    for (int taken = 0;;) {
        const int last = atomic_load(&is_last);
        while (taken < atomic_load(&n_handed))
            helper.held[helper.n++] = handed[taken++];
        r_be_late(&helper.draws);
        if (helper.n > 0)
            complete_one(&helper, 0);
        else if (last)
            return unused;
        else
            usleep(50);
    }
}

static void round_of_calls(const group *groups)
{
    const int from_heap = (int)r_below(&common, 2), to_heap = (int)r_below(&common, 2);
    const unsigned starts = r_below(&common, 4), patience = 1 + r_below(&own, 20);
    pthread_t thread;
    size_t used = 0;
    source = from_heap ? heap + POOL : static_source;
    pool = to_heap ? heap : static_pool;
    for (int k = 0; k < CALLS; k++)
        calls[k] = next(groups, starts, &used);
    memset(pool, FILLER, used);
    for (int k = 0; k < CALLS; k++)
        if (calls[k].kind == REDUCE_IN_PLACE && calls[k].g.me >= 0)
            calls[k].op->fill(pool + calls[k].at, k, t_me, 0, calls[k].n);
    n_handed = is_last = 0;
    shmem_barrier_all();
    if (has_helper && pthread_create(&thread, NULL, help, NULL))
        T_DIE("no thread");
    for (int k = 0, started = 0; k < CALLS; k++) {
        call *c = &calls[k];
        if (c->g.me < 0)
            continue;
        r_be_late(&own);
        give(c, k);
        if (c->is_set)
            do_set(c, k);
        else
            CHECK_EQ(do_team(c, k), 0);
        if (!c->is_started) {
            check_call(c, k, starter.want);
        } else if (started++ % 2 && has_helper) {
            handed[n_handed] = k;
            atomic_fetch_add(&n_handed, 1);
        } else {
            starter.held[starter.n++] = k;
        }
        if (starter.n == UNDER_WAY || (starter.n > 0 && r_below(&own, patience) == 0))
            complete_one(&starter, starter.n == UNDER_WAY);
    }
    is_last = 1;
    while (starter.n > 0)
        complete_one(&starter, 1);
    if (has_helper)
        pthread_join(thread, NULL);
    /* nothing has changed since, and nothing came to those outside */
    shmem_barrier_all();
    for (int k = 0; k < CALLS; k++) {
        if (calls[k].g.me >= 0)
            check_call(&calls[k], k, starter.want);
        else
            CHECK_FILL(pool + calls[k].at, FILLER, calls[k].span + GUARD);
        CHECK_EACH(SHMEM_SYNC_SIZE, sync_[k][i], SHMEM_SYNC_VALUE);
    }
}

/* --- teams */

/* Members of a part of a group, by numbers of members. */
static void part(group *g, const group *of, int start, int stride, int size)
{
    g->me = -1;
    g->size = size;
    for (int m = 0; m < size; m++)
        if ((g->pe[m] = of->pe[start + m * stride]) == t_me)
            g->me = m;
}

/* The team is the group: on all members, and on nobody else. */
static void inspect(const group *g)
{
    if ((g->team == SHMEM_TEAM_INVALID) != (g->me < 0))
        T_DIE("member %d has %s team", g->me, g->team == SHMEM_TEAM_INVALID ? "no" : "a");
    CHECK_EQ(shmem_team_my_pe(g->team), g->me);
    for (int m = 0; g->me >= 0 && m <= g->size; m++)
        CHECK_EQ(shmem_team_translate_pe(g->team, m, SHMEM_TEAM_WORLD), m < g->size ? g->pe[m] : -1);
}

/* Splits group `from` into group `to`, and a second one if by two dimensions, in place of what was there. */
static void split(group *groups, int from, int to, int other)
{
    const unsigned r[] = {r_below(&common, 1000), r_below(&common, 1000), r_below(&common, 1000)};
    const int by_2d = r_below(&common, 3) == 0;
    const group of = groups[from];
    group *x = &groups[to], *y = &groups[other];
    for (int i = 0; i < 1 + by_2d; i++) {
        shmem_team_destroy((i ? y : x)->team);
        *(i ? y : x) = (group){.team = SHMEM_TEAM_INVALID, .me = -1};
    }
    if (of.me < 0)
        return;
    if (by_2d) {
        const int range = 1 + (int)(r[0] % (unsigned)of.size), row = of.me / range, column = of.me % range;
        CHECK_EQ(shmem_team_split_2d(of.team, range, NULL, 0, &x->team, NULL, 0, &y->team), 0);
        part(x, &of, row * range, 1, of.size - row * range < range ? of.size - row * range : range);
        part(y, &of, column, range, (of.size - 1 - column) / range + 1);
        inspect(x);
        inspect(y);
        return;
    }
    const int start = (int)(r[0] % (unsigned)of.size), step = 1 + (int)(r[1] / 2 % 3), down = r[1] % 2;
    const int most = (down ? start : of.size - 1 - start) / step + 1, size = 1 + (int)(r[2] % (unsigned)most);
    CHECK_EQ(shmem_team_split_strided(of.team, start, down ? -step : step, size, NULL, 0, &x->team), 0);
    part(x, &of, start, down ? -step : step, size);
    if (x->me < 0)
        *x = (group){.team = x->team, .me = -1};
    inspect(x);
}

int main(int argc, char **argv)
{
    static group groups[GROUPS];
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    const uint64_t seed = r_seed();
    common = r_state(seed, 0);
    has_helper = (int)r_below(&common, 2);
    t_init_thread(has_helper ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE);
    if (t_npes > MOST_PES)
        T_DIE("more than %d PEs", MOST_PES);
    own = r_state(seed, 1 + (unsigned)t_me);
    heap = t_malloc(POOL + SOURCES);
    starter = (completer){.draws = r_state(own, 1), .want = malloc(2 * MOST + GUARD)};
    helper = (completer){.draws = r_state(own, 2), .want = malloc(2 * MOST + GUARD)};
    for (int k = 0; k < CALLS; k++)
        for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
            sync_[k][i] = SHMEM_SYNC_VALUE;
    groups[0] = (group){.team = SHMEM_TEAM_WORLD, .size = t_npes, .me = t_me};
    for (int pe = 0; pe < t_npes; pe++)
        groups[0].pe[pe] = pe;
    for (int k = 1; k < GROUPS; k++)
        groups[k] = (group){.team = SHMEM_TEAM_INVALID, .me = -1};
    for (int k = 1; k + 1 < GROUPS; k += 2)
        split(groups, (int)r_below(&common, (unsigned)k), k, k + 1);
    for (int r = 0; r < rounds; r++) {
        round_of_calls(groups);
        const int to = 1 + (int)r_below(&common, GROUPS - 2);
        split(groups, (int)r_below(&common, (unsigned)to), to, to + 1);
    }
    for (int k = 1; k < GROUPS; k++)
        shmem_team_destroy(groups[k].team);
    shmem_free(heap);
    return t_done();
}
