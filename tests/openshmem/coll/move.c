/* Collectives that move data: every routine of all types and of bytes, every root, counts around the sizes at which the
 * library changes its way, strides, on teams of many shapes; nothing is written beside the result. With `sets` active
 * sets: both sizes, strides 2^k, several disjoint sets at once, sets that change in sequence; the root's dest is left
 * alone, pSync is left as it was, only members take part. Arguments: `heap` or `statics`, where buffers and pSync lie;
 * coll.h, or `sets`. With -DGENERIC by the macros of C11.
 * shmem_TYPENAME_{broadcast,collect,fcollect,alltoall,alltoalls}, shmem_{broadcast,collect,...}mem,
 * shmem_{broadcast,collect,fcollect,alltoall,alltoalls}{32,64}, shmem_sync, shmem_barrier
 * rules: 7 8 9 118 182 184 186 187 189 190 200 201 202 203 204 205 206 207 208 219 220 221 222 223 225 226 227 228 */
#include "coll/sets.h"

enum { MOST = 160000, GUARD = 64 };
static unsigned char statics[4][MOST + GUARD] __attribute__((aligned(16)));

typedef int move(const t_group *g, void *dest, const void *source, size_t n);
typedef struct {
    const char *name;
    size_t size;
    int (*broadcast)(const t_group *g, void *dest, const void *source, size_t n, int root);
    move *collect, *fcollect, *alltoall;
    int (*alltoalls)(const t_group *g, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t n);
} mover;

/* Names of routines, and calls of them. */
#define TYPED(NAME, VERB) T_OF(NAME, VERB)
#define SIZED(NAME, VERB) shmem_##VERB##NAME
#define ON_TEAM(ROUTINE, ...) return ROUTINE(g->team, __VA_ARGS__)
#define ON_SET(ROUTINE, ...) return ROUTINE(__VA_ARGS__, T_SET(g), T_NEXT_SYNC()), 0

#define MOVE(NAME, TYPE, VERB, ROUTINE, CALL)                                                                         \
    static int VERB##_##NAME(const t_group *g, void *to, const void *from, size_t n)                                  \
    {                                                                                                                 \
        CALL(ROUTINE(NAME, VERB), (TYPE *)to, (const TYPE *)from, n);                                                 \
    }
#define DEFINE(NAME, TYPE, ROUTINE, CALL)                                                                             \
    MOVE(NAME, TYPE, collect, ROUTINE, CALL)                                                                          \
    MOVE(NAME, TYPE, fcollect, ROUTINE, CALL)                                                                         \
    MOVE(NAME, TYPE, alltoall, ROUTINE, CALL)                                                                         \
    static int broadcast_##NAME(const t_group *g, void *to, const void *from, size_t n, int root)                     \
    {                                                                                                                 \
        CALL(ROUTINE(NAME, broadcast), (TYPE *)to, (const TYPE *)from, n, root);                                      \
    }                                                                                                                 \
    static int alltoalls_##NAME(const t_group *g, void *to, const void *from, ptrdiff_t dst, ptrdiff_t sst,           \
                                size_t n)                                                                             \
    {                                                                                                                 \
        CALL(ROUTINE(NAME, alltoalls), (TYPE *)to, (const TYPE *)from, dst, sst, n);                                  \
    }
#define DEFINE_TYPED(NAME, TYPE, KIND) DEFINE(NAME, TYPE, TYPED, ON_TEAM)
#ifndef T_MOVED /* what has typed routines */
#define T_MOVED T_RMA
#endif
T_MOVED(DEFINE_TYPED)
DEFINE(mem, char, SIZED, ON_TEAM)
DEFINE(32, uint32_t, SIZED, ON_SET)
DEFINE(64, uint64_t, SIZED, ON_SET)

#define ROW(NAME, TYPE, KIND) \
    {#NAME, sizeof(TYPE), broadcast_##NAME, collect_##NAME, fcollect_##NAME, alltoall_##NAME, alltoalls_##NAME},
static const mover on_teams[] = {T_MOVED(ROW) ROW(mem, char, ) };
static const mover on_sets[] = {ROW(32, uint32_t, ) ROW(64, uint64_t, ) };

static unsigned char *buffers[4]; /* two sources, two dests, used in turn */
static int turn;
static unsigned char *dest, *source;

/* Takes the next pair of buffers: the source with the PE's pattern, dest with a filler. */
static void prepare(const t_group *g, size_t len)
{
    turn ^= 1;
    dest = buffers[turn];
    source = buffers[2 + turn];
    if (len > MOST)
        T_DIE("%zu bytes do not fit", len);
    memset(dest, 0x77, len + GUARD);
    t_fill(source, len, (unsigned)t_me);
    t_synchronize(g);
}

/* What stands behind the result, and the pSync of a set. */
static void check_rest(const t_group *g, const unsigned char *end)
{
    CHECK_FILL(end, 0x77, GUARD);
    if (t_is_set(g))
        t_check_sync();
}

/* n bytes at `got` must be the bytes from offset `from` of the pattern of `pe`. */
static void check_part(const char *what, const unsigned char *got, size_t from, size_t n, int pe)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != t_byte(from + i, (unsigned)pe)) {
            t_fail(__FILE__, __LINE__, "%s: byte %zu of %zu from PE %d is 0x%02x, expected 0x%02x", what, i, n, pe,
                   got[i], t_byte(from + i, (unsigned)pe));
            return;
        }
}

static void broadcast(const mover *m, const t_group *g, size_t n)
{
    const size_t len = n * m->size;
    for (int root = 0; root < g->size; root++) {
        prepare(g, len);
        CHECK_EQ(m->broadcast(g, dest, source, n, root), 0);
        if (t_is_set(g) && root == g->me)
            CHECK_FILL(dest, 0x77, len);
        else
            check_part("broadcast", dest, 0, len, t_world(g, root));
        check_rest(g, dest + len);
        check_part("source", source, 0, len, t_me);
    }
}

static void fcollect(const mover *m, const t_group *g, size_t n)
{
    const size_t len = n * m->size;
    prepare(g, len * (size_t)g->size);
    CHECK_EQ(m->fcollect(g, dest, source, n), 0);
    for (int i = 0; i < g->size; i++)
        check_part("fcollect", dest + (size_t)i * len, 0, len, t_world(g, i));
    check_rest(g, dest + (size_t)g->size * len);
}

/* Member i gives `base` plus some elements of its own, in three ways: rising, falling, all but one nothing. */
static size_t count_of(const t_group *g, int i, size_t base, int how)
{
    switch (how) {
    case 0:
        return base + (size_t)i;
    case 1:
        return base + (size_t)(g->size - 1 - i);
    default:
        return i == g->size / 2 ? base : 0;
    }
}

static void collect(const mover *m, const t_group *g, size_t n)
{
    for (int how = 0; how < 3; how++) {
        size_t at = 0;
        prepare(g, (n + (size_t)g->size) * (size_t)g->size * m->size);
        CHECK_EQ(m->collect(g, dest, source, count_of(g, g->me, n, how)), 0);
        for (int i = 0; i < g->size; i++) {
            const size_t len = count_of(g, i, n, how) * m->size;
            check_part("collect", dest + at, 0, len, t_world(g, i));
            at += len;
        }
        check_rest(g, dest + at);
    }
}

static void alltoall(const mover *m, const t_group *g, size_t n)
{
    const size_t len = n * m->size;
    prepare(g, len * (size_t)g->size);
    CHECK_EQ(m->alltoall(g, dest, source, n), 0);
    for (int k = 0; k < g->size; k++)
        check_part("alltoall", dest + (size_t)k * len, (size_t)g->me * len, len, t_world(g, k));
    check_rest(g, dest + (size_t)g->size * len);
}

static void alltoalls(const mover *m, const t_group *g, size_t n)
{
    static const ptrdiff_t strides[][2] = {{1, 1}, {2, 1}, {1, 3}, {3, 2}};
    const size_t size = m->size, all_elems = n * (size_t)g->size;
    for (unsigned s = 0; s < sizeof strides / sizeof *strides; s++) {
        const size_t dst = (size_t)strides[s][0], sst = (size_t)strides[s][1];
        prepare(g, all_elems * 3 * size);
        CHECK_EQ(m->alltoalls(g, dest, source, strides[s][0], strides[s][1], n), 0);
        for (size_t e = 0; e < all_elems; e++) {
            const size_t k = e / n, from = ((size_t)g->me * n + e % n) * sst * size;
            check_part("alltoalls", dest + e * dst * size, from, size, t_world(g, (int)k));
            CHECK_FILL(dest + (e * dst + 1) * size, 0x77, (dst - 1) * size);
        }
        check_rest(g, dest + all_elems * dst * size);
    }
}

/* Everything by one row on one group. */
static void all_of(const mover *m, const t_group *g)
{
    const size_t small = T_SMALL / m->size, eager = T_EAGER / m->size, put = T_WRITTEN / m->size;
    const size_t counts[] = {0, 1, 3, small, small + 1, put - 1, put, eager, eager + 1};
    const size_t team = t_is_set(g) ? 1 : (size_t)g->size;
    const size_t shares[] = {0,          1,         3,           small / team,   small / team + 1,
                             put / team, put / team + 1, eager / team, eager / team + 1};
    turn = 0; /* the members of a group have been in different groups before: all must take the same buffers */
    T_WHAT("%s on %d%+d*%d", m->name, g->start, g->stride, g->size);
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        broadcast(m, g, counts[c]);
        fcollect(m, g, counts[c]);
        collect(m, g, counts[c]);
        alltoall(m, g, shares[c]);
        alltoalls(m, g, shares[c]);
    }
}

/* Those outside of a set do nothing at all. */
static void on_set(int start, int log_stride, int size)
{
    const t_group g = t_set(start, log_stride, size);
    for (int k = 0; k < 2 && g.me >= 0; k++)
        all_of(&on_sets[k], &g);
}

/* One PE alone: its stride says nothing, however long. */
static void alone(void)
{
    static const int logs[] = {0, 31, 32, 63, 64, 1000};
    long *from = (long *)buffers[0], *to = (long *)buffers[1];
    for (unsigned k = 0; k < sizeof logs / sizeof *logs; k++) {
        T_WHAT("%d+1*2^%d", t_me, logs[k]);
        from[0] = t_me + 7, from[1] = logs[k], to[0] = to[1] = -1;
        shmem_fcollect64(to, from, 2, t_me, logs[k], 1, T_NEXT_SYNC());
        CHECK_EQ(to[0], t_me + 7);
        CHECK_EQ(to[1], logs[k]);
        shmem_barrier(t_me, logs[k], 1, T_NEXT_SYNC());
    }
}

static void sets(void)
{
    on_set(0, 0, t_npes);
    /* every second, every fourth: disjoint sets at the same time; a PE goes on to its next set without waiting for
     * those outside */
    for (int log = 1; log < 4; log++) {
        const int stride = 1 << log, first = t_me % stride;
        on_set(first, log, (t_npes - 1 - first) / stride + 1);
    }
    on_set(t_npes - 1, 2, 1);
    on_set(t_npes / 3, 0, t_npes - t_npes / 3);
    on_set(0, 0, (t_npes + 1) / 2);
    on_set(0, 0, t_npes);
    alone();
}

int main(int argc, char **argv)
{
    enum { ROWS = sizeof on_teams / sizeof *on_teams };
    const int heap = argc > 1 && !strcmp(argv[1], "heap"), every = t_every(argc, argv);
    t_group groups[T_GROUPS];
    int made;
    t_init();
    for (int k = 0; k < 4; k++)
        buffers[k] = heap ? (unsigned char *)t_malloc(MOST + GUARD) : statics[k];
    if (argc > 2 && !strcmp(argv[2], "sets")) {
        t_make_syncs(heap);
        sets();
        return t_done();
    }
    made = t_groups(groups);
    for (int k = 0; k < made; k++)
        for (int i = k % every; groups[k].me >= 0 && i < ROWS; i += every)
            all_of(&on_teams[i], &groups[k]);
    t_groups_destroy(groups, made);
    return t_done();
}
