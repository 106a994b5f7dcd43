/* Collectives that move data: every routine of all types and of bytes, every root, counts around the sizes at which the
 * library changes its way, strides, on teams of many shapes; nothing is written beside the result. Arguments: `heap` or
 * `statics`, where the buffers lie; coll.h.
 * shmem_TYPENAME_{broadcast,collect,fcollect,alltoall,alltoalls}, shmem_{broadcast,collect,...}mem
 * rules: 118 182 184 186 187 189 190 200 201 202 203 205 206 207 208 */
#include "coll/coll.h"

enum { MOST = 140000, GUARD = 64 };
static unsigned char statics[4][MOST + GUARD] __attribute__((aligned(16)));

typedef struct {
    const char *name;
    size_t size;
    int (*broadcast)(shmem_team_t team, void *dest, const void *source, size_t n, int root);
    int (*collect)(shmem_team_t team, void *dest, const void *source, size_t n);
    int (*fcollect)(shmem_team_t team, void *dest, const void *source, size_t n);
    int (*alltoall)(shmem_team_t team, void *dest, const void *source, size_t n);
    int (*alltoalls)(shmem_team_t team, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t n);
} mover;

#define DEFINE(NAME, TYPE, KIND)                                                                             \
    static int broadcast_##NAME(shmem_team_t team, void *dest, const void *source, size_t n, int root)      \
    {                                                                                                        \
        return shmem_##NAME##_broadcast(team, dest, source, n, root);                                        \
    }                                                                                                        \
    static int collect_##NAME(shmem_team_t team, void *dest, const void *source, size_t n)                  \
    {                                                                                                        \
        return shmem_##NAME##_collect(team, dest, source, n);                                                \
    }                                                                                                        \
    static int fcollect_##NAME(shmem_team_t team, void *dest, const void *source, size_t n)                 \
    {                                                                                                        \
        return shmem_##NAME##_fcollect(team, dest, source, n);                                               \
    }                                                                                                        \
    static int alltoall_##NAME(shmem_team_t team, void *dest, const void *source, size_t n)                 \
    {                                                                                                        \
        return shmem_##NAME##_alltoall(team, dest, source, n);                                               \
    }                                                                                                        \
    static int alltoalls_##NAME(shmem_team_t team, void *dest, const void *source, ptrdiff_t dst,           \
                                ptrdiff_t sst, size_t n)                                                     \
    {                                                                                                        \
        return shmem_##NAME##_alltoalls(team, dest, source, dst, sst, n);                                    \
    }
T_RMA(DEFINE)
#define ROW(NAME, TYPE, KIND)                                                                              \
    {#NAME,           sizeof(TYPE),    broadcast_##NAME, collect_##NAME, fcollect_##NAME, alltoall_##NAME, \
     alltoalls_##NAME},
static const mover all[] = {
    T_RMA(ROW){"mem", 1, shmem_broadcastmem, shmem_collectmem, shmem_fcollectmem, shmem_alltoallmem,
               shmem_alltoallsmem}};

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
    CHECK_EQ(shmem_team_sync(g->team), 0);
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
        CHECK_EQ(m->broadcast(g->team, dest, source, n, root), 0);
        check_part("broadcast", dest, 0, len, t_world(g, root));
        CHECK_FILL(dest + len, 0x77, GUARD);
        check_part("source", source, 0, len, t_me);
    }
}

static void fcollect(const mover *m, const t_group *g, size_t n)
{
    const size_t len = n * m->size;
    prepare(g, len * (size_t)g->size);
    CHECK_EQ(m->fcollect(g->team, dest, source, n), 0);
    for (int i = 0; i < g->size; i++)
        check_part("fcollect", dest + (size_t)i * len, 0, len, t_world(g, i));
    CHECK_FILL(dest + (size_t)g->size * len, 0x77, GUARD);
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
        CHECK_EQ(m->collect(g->team, dest, source, count_of(g, g->me, n, how)), 0);
        for (int i = 0; i < g->size; i++) {
            const size_t len = count_of(g, i, n, how) * m->size;
            check_part("collect", dest + at, 0, len, t_world(g, i));
            at += len;
        }
        CHECK_FILL(dest + at, 0x77, GUARD);
    }
}

static void alltoall(const mover *m, const t_group *g, size_t n)
{
    const size_t len = n * m->size;
    prepare(g, len * (size_t)g->size);
    CHECK_EQ(m->alltoall(g->team, dest, source, n), 0);
    for (int k = 0; k < g->size; k++)
        check_part("alltoall", dest + (size_t)k * len, (size_t)g->me * len, len, t_world(g, k));
    CHECK_FILL(dest + (size_t)g->size * len, 0x77, GUARD);
}

static void alltoalls(const mover *m, const t_group *g, size_t n)
{
    static const ptrdiff_t strides[][2] = {{1, 1}, {2, 1}, {1, 3}, {3, 2}};
    const size_t size = m->size, all_elems = n * (size_t)g->size;
    for (unsigned s = 0; s < sizeof strides / sizeof *strides; s++) {
        const size_t dst = (size_t)strides[s][0], sst = (size_t)strides[s][1];
        prepare(g, all_elems * 3 * size);
        CHECK_EQ(m->alltoalls(g->team, dest, source, strides[s][0], strides[s][1], n), 0);
        for (size_t e = 0; e < all_elems; e++) {
            const size_t k = e / n, from = ((size_t)g->me * n + e % n) * sst * size;
            check_part("alltoalls", dest + e * dst * size, from, size, t_world(g, (int)k));
            CHECK_FILL(dest + (e * dst + 1) * size, 0x77, (dst - 1) * size);
        }
        CHECK_FILL(dest + all_elems * dst * size, 0x77, GUARD);
    }
}

int main(int argc, char **argv)
{
    const int heap = argc > 1 && !strcmp(argv[1], "heap"), every = t_every(argc, argv);
    t_group groups[T_GROUPS];
    int made;
    t_init();
    for (int k = 0; k < 4; k++)
        buffers[k] = heap ? t_malloc(MOST + GUARD) : statics[k];
    made = t_groups(groups);
    for (int k = 0; k < made; k++)
        for (int i = k % every; groups[k].me >= 0 && i < (int)(sizeof all / sizeof *all); i += every) {
            const mover *m = &all[i];
            const size_t small = T_SMALL / m->size, eager = T_EAGER / m->size, team = (size_t)groups[k].size;
            const size_t put = T_WRITTEN / m->size;
            const size_t counts[] = {0, 1, 3, small, small + 1, put - 1, put, eager, eager + 1};
            const size_t shares[] = {0,          1,         3,           small / team,   small / team + 1,
                                     put / team, put / team + 1, eager / team, eager / team + 1};
            turn = 0; /* the members of a group have been in different groups before: all must take the same buffers */
            T_WHAT("%s on %d%+d*%d", m->name, groups[k].start, groups[k].stride, groups[k].size);
            for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
                broadcast(m, &groups[k], counts[c]);
                fcollect(m, &groups[k], counts[c]);
                collect(m, &groups[k], counts[c]);
                alltoall(m, &groups[k], shares[c]);
                alltoalls(m, &groups[k], shares[c]);
            }
        }
    t_groups_destroy(groups, made);
    return t_done();
}
