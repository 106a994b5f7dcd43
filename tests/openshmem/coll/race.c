/* Collectives back to back without synchronisation in between, on overlapping teams and active sets in turn, with
 * changing routines, roots, sizes and buffers, while PEs are late at random: nobody's source, result or work space may
 * be overrun by a PE that is ahead. The source is one buffer, written anew as soon as a call returns.
 * Argument: number of rounds, and a seed.
 * rules: 181 182 183 184 188 190 203 204 206 210 217 221 222 225 226 */
#include "coll/coll.h"

/* Calls between two barriers; each has a dest and a pSync of its own. */
enum { CALLS = 40, LONGS = 700, MOST = 16 };
static size_t most = LONGS; /* of a member: fewer if there are more than MOST PEs */
static long source[MOST * LONGS], dest[CALLS][MOST * LONGS], work[CALLS][LONGS], sync_[CALLS][SHMEM_SYNC_SIZE];
static uint64_t common, own; /* the same everywhere; of this PE alone */

enum { BROADCAST, COLLECT, FCOLLECT, ALLTOALL, REDUCE, REDUCE_IN_PLACE, INSCAN, EXSCAN, SYNC, KINDS };
enum { SET_KINDS = REDUCE_IN_PLACE + 1 };

typedef struct {
    int kind, is_set, root;
    size_t n;
    t_group g;
} call;

static int below(uint64_t *state, int n) { return (int)(t_random(state) % (unsigned)n); }

static long value(int c, int pe, size_t i)
{
    return (long)(i * 31 + (size_t)c * 1000003 + (size_t)pe * 7777777 + common % 97);
}

/* What the next call is: the same answer on all PEs. */
static call next(const t_group *groups, int made)
{
    static const size_t sizes[] = {0, 1, 2, 7, 8, 31, 32, 33, 256, 257, LONGS};
    call c = {0};
    c.is_set = below(&common, 3) == 0;
    c.kind = below(&common, c.is_set ? SET_KINDS : KINDS);
    c.n = sizes[below(&common, sizeof sizes / sizeof *sizes)];
    c.n = c.n < most ? c.n : most;
    if (c.is_set) {
        const int log_stride = below(&common, 3), stride = 1 << log_stride;
        c.g.start = below(&common, t_npes);
        c.g.size = 1 + below(&common, (t_npes - 1 - c.g.start) / stride + 1);
        c.g.stride = stride;
        c.g.me = (t_me - c.g.start) % stride == 0 ? (t_me - c.g.start) / stride : -1;
        if (t_me < c.g.start || c.g.me >= c.g.size)
            c.g.me = -1;
    } else
        c.g = groups[below(&common, made)];
    c.root = below(&common, c.g.size);
    return c;
}

static size_t count_of(const call *c, int member) { return (c->n + (size_t)member * 3) % most; }

static void do_set(const call *c, int k)
{
    const int log_stride = __builtin_ctz((unsigned)c->g.stride), start = c->g.start, size = c->g.size;
    long *d = dest[k], *p = sync_[k];
    switch (c->kind) {
    case BROADCAST:
        shmem_broadcast64(d, source, c->n, c->root, start, log_stride, size, p);
        break;
    case COLLECT:
        shmem_collect64(d, source, count_of(c, c->g.me), start, log_stride, size, p);
        break;
    case FCOLLECT:
        shmem_fcollect64(d, source, c->n, start, log_stride, size, p);
        break;
    case ALLTOALL:
        shmem_alltoall64(d, source, c->n, start, log_stride, size, p);
        break;
    default:
        shmem_long_sum_to_all(d, c->kind == REDUCE ? source : d, (int)c->n, start, log_stride, size, work[k], p);
    }
}

static int do_team(const call *c, int k)
{
    shmem_team_t team = c->g.team;
    long *d = dest[k];
    switch (c->kind) {
    case BROADCAST:
        return shmem_long_broadcast(team, d, source, c->n, c->root);
    case COLLECT:
        return shmem_long_collect(team, d, source, count_of(c, c->g.me));
    case FCOLLECT:
        return shmem_long_fcollect(team, d, source, c->n);
    case ALLTOALL:
        return shmem_long_alltoall(team, d, source, c->n);
    case REDUCE:
        return shmem_long_sum_reduce(team, d, source, c->n);
    case REDUCE_IN_PLACE:
        return shmem_long_sum_reduce(team, d, d, c->n);
    case INSCAN:
        return shmem_long_sum_inscan(team, d, source, c->n);
    case EXSCAN:
        return shmem_long_sum_exscan(team, d, source, c->n);
    default:
        return shmem_team_sync(team);
    }
}

static long sum(const call *c, int k, size_t i, int upto)
{
    long s = 0;
    for (int m = 0; m < upto; m++)
        s += value(k, t_world(&c->g, m), i);
    return s;
}

/* The wanted element i of dest; *more is cleared behind the last. */
static long wanted(const call *c, int k, size_t i, int *more)
{
    const size_t n = c->n ? c->n : 1, team = (size_t)c->g.size;
    size_t total = c->n;
    switch (c->kind) {
    case BROADCAST:
        *more = i < total && !(c->is_set && c->g.me == c->root);
        return value(k, t_world(&c->g, c->root), i);
    case COLLECT:
        for (int m = 0; m < c->g.size; m++) {
            const size_t count = count_of(c, m);
            if (i < count)
                return value(k, t_world(&c->g, m), i);
            i -= count;
        }
        *more = 0;
        return 0;
    case FCOLLECT:
        *more = i < total * team;
        return value(k, t_world(&c->g, (int)(i / n)), i % n);
    case ALLTOALL:
        *more = i < total * team;
        return value(k, t_world(&c->g, (int)(i / n)), (size_t)c->g.me * n + i % n);
    case SYNC:
        *more = 0;
        return 0;
    default:
        *more = i < total;
        return sum(c, k, i, c->kind == INSCAN ? c->g.me + 1 : c->kind == EXSCAN ? c->g.me : c->g.size);
    }
}

static void check_call(const call *c, int k)
{
    static const char *const names[] = {"broadcast", "collect", "fcollect", "alltoall", "reduce", "reduce in place",
                                        "inscan", "exscan", "sync"};
    long filler;
    int more = 1;
    memset(&filler, 0x77, sizeof filler);
    for (size_t i = 0; more && i < MOST * LONGS; i++) {
        const long want = wanted(c, k, i, &more);
        if (dest[k][i] != (more ? want : filler)) {
            t_fail(__FILE__, __LINE__, "call %d, %s of %zu on %s %d%+d*%d: element %zu is %ld, expected %ld", k,
                   names[c->kind], c->n, c->is_set ? "set" : "team", c->g.start, c->g.stride, c->g.size, i, dest[k][i],
                   more ? want : filler);
            return;
        }
    }
}

/* Lets the others go ahead, now and then. */
static void be_late(void)
{
    switch (below(&own, 20)) {
    case 0:
        usleep((unsigned)below(&own, 300));
        break;
    case 1:
    case 2:
        for (volatile int spin = below(&own, 20000); spin > 0; spin--)
            ;
        break;
    }
}

static void round_of_calls(const t_group *groups, int made)
{
    call calls[CALLS];
    int in[CALLS];
    memset(dest, 0x77, sizeof dest);
    for (int k = 0; k < CALLS; k++) {
        calls[k] = next(groups, made);
        in[k] = calls[k].g.me >= 0;
    }
    for (int k = 0; k < CALLS; k++)
        for (size_t i = 0; calls[k].kind == REDUCE_IN_PLACE && i < calls[k].n; i++)
            dest[k][i] = in[k] ? value(k, t_me, i) : dest[k][i];
    shmem_barrier_all();
    for (int k = 0; k < CALLS; k++) {
        if (!in[k])
            continue;
        be_late();
        for (size_t i = 0; i < (size_t)calls[k].g.size * most; i++)
            source[i] = value(k, t_me, i);
        if (calls[k].is_set)
            do_set(&calls[k], k);
        else
            CHECK_EQ(do_team(&calls[k], k), 0);
        check_call(&calls[k], k);
    }
    /* nothing has changed since, and nothing came to those outside */
    shmem_barrier_all();
    for (int k = 0; k < CALLS; k++) {
        if (in[k])
            check_call(&calls[k], k);
        else if (calls[k].kind != REDUCE_IN_PLACE)
            CHECK_FILL(dest[k], 0x77, sizeof dest[k]);
        for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
            CHECK_EQ(sync_[k][i], SHMEM_SYNC_VALUE);
    }
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    t_group groups[T_GROUPS];
    int made;
    t_init();
    if (t_npes > MOST)
        most = MOST * LONGS / (size_t)t_npes;
    common = 0x2545f4914f6cdd1du ^ (argc > 2 ? (uint64_t)atol(argv[2]) << 20 : 0);
    own = common + 977 * (uint64_t)(t_me + 1);
    for (int k = 0; k < CALLS; k++)
        for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
            sync_[k][i] = SHMEM_SYNC_VALUE;
    made = t_groups(groups);
    for (int r = 0; r < rounds; r++)
        round_of_calls(groups, made);
    t_groups_destroy(groups, made);
    return t_done();
}
