/* Collectives of many elements: all routines with N longs per block, N the first argument, at odd offsets from the
 * buffers' starts; in place where that is allowed. Second argument: `heap` or `statics`.
 * rules: 31 182 184 187 190 200 201 203 206 207 209 210 217 */
#include "coll/coll.h"

enum { BYTES = 18 << 20 };
static long static_dest[BYTES / sizeof(long)], static_source[BYTES / 2 / sizeof(long)];
static long *dest, *source;
static size_t n;
static const t_group *g;

/* Element i of what PE `pe` gives. */
static long value(size_t i, int pe)
{
    return (long)(i * 0x9e3779b97f4a7c15u) ^ (long)pe << 40 ^ pe;
}

static void prepare(size_t from, size_t into, int same)
{
    if (from * sizeof(long) > BYTES / 2 || (into + 1) * sizeof(long) > BYTES)
        T_DIE("%zu and %zu longs do not fit", from, into);
    memset(dest, 0x77, (into + 1) * sizeof *dest);
    for (size_t i = 0; i < from; i++)
        (same ? dest : source)[i] = value(i, t_me);
    CHECK_EQ(shmem_team_sync(g->team), 0);
}

static void check_part(const char *what, size_t at, size_t from, size_t count, int pe)
{
    for (size_t i = 0; i < count; i++)
        if (dest[at + i] != value(from + i, pe)) {
            t_fail(__FILE__, __LINE__, "%s: element %zu of %zu from PE %d is 0x%lx, expected 0x%lx", what, i, count,
                   pe, dest[at + i], value(from + i, pe));
            return;
        }
}

static void check_end(const char *what, size_t at)
{
    long filler;
    memset(&filler, 0x77, sizeof filler);
    if (dest[at] != filler)
        t_fail(__FILE__, __LINE__, "%s: wrote behind dest", what);
}

static void moves(void)
{
    const size_t team = (size_t)g->size;
    size_t at = 0;
    for (int root = 0; root < g->size; root += g->size > 1 ? g->size - 1 : 1) {
        prepare(n, n, 0);
        CHECK_EQ(shmem_long_broadcast(g->team, dest, source, n, root), 0);
        check_part("broadcast", 0, 0, n, t_world(g, root));
        check_end("broadcast", n);
    }
    prepare(n, n * team, 0);
    CHECK_EQ(shmem_long_fcollect(g->team, dest, source, n), 0);
    for (int i = 0; i < g->size; i++)
        check_part("fcollect", (size_t)i * n, 0, n, t_world(g, i));
    check_end("fcollect", n * team);

    prepare(n, n * team, 0);
    CHECK_EQ(shmem_long_collect(g->team, dest, source, g->me % 2 ? 3 : n - (size_t)g->me), 0);
    for (int i = 0; i < g->size; i++) {
        const size_t count = i % 2 ? 3 : n - (size_t)i;
        check_part("collect", at, 0, count, t_world(g, i));
        at += count;
    }
    check_end("collect", at);

    prepare(n * team, n * team, 0);
    CHECK_EQ(shmem_long_alltoall(g->team, dest, source, n), 0);
    for (int k = 0; k < g->size; k++)
        check_part("alltoall", (size_t)k * n, (size_t)g->me * n, n, t_world(g, k));
    check_end("alltoall", n * team);

    prepare(n * team, 2 * n * team, 0);
    CHECK_EQ(shmem_long_alltoalls(g->team, dest, source, 2, 1, n), 0);
    for (size_t e = 0; e < n * team; e++) {
        const long want = value((size_t)g->me * n + e % n, t_world(g, (int)(e / n)));
        if (dest[2 * e] != want) {
            t_fail(__FILE__, __LINE__, "alltoalls: element %zu is 0x%lx, expected 0x%lx", e, dest[2 * e], want);
            break;
        }
        if (e + 1 < n * team)
            check_end("alltoalls", 2 * e + 1);
    }
    check_end("alltoalls", 2 * n * team);
}

/* Sum of the first `upto` members' elements i. */
static long sum(size_t i, int upto)
{
    unsigned long s = 0;
    for (int m = 0; m < upto; m++)
        s += (unsigned long)value(i, t_world(g, m));
    return (long)s;
}

static void check_sums(const char *what, int upto)
{
    for (size_t i = 0; i < n; i++)
        if (dest[i] != sum(i, upto)) {
            t_fail(__FILE__, __LINE__, "%s: element %zu of %zu is 0x%lx, expected 0x%lx", what, i, n, dest[i],
                   sum(i, upto));
            return;
        }
    check_end(what, n);
}

static void sums(int same)
{
    const long *from = same ? dest : source;
    prepare(n, n, same);
    CHECK_EQ(shmem_long_sum_reduce(g->team, dest, from, n), 0);
    check_sums(same ? "reduce in place" : "reduce", g->size);
    prepare(n, n, same);
    CHECK_EQ(shmem_long_sum_inscan(g->team, dest, from, n), 0);
    check_sums(same ? "inscan in place" : "inscan", g->me + 1);
    prepare(n, n, same);
    CHECK_EQ(shmem_long_sum_exscan(g->team, dest, from, n), 0);
    check_sums(same ? "exscan in place" : "exscan", g->me);
}

int main(int argc, char **argv)
{
    const int heap = argc > 2 && !strcmp(argv[2], "heap");
    t_group groups[T_GROUPS];
    int made;
    t_init();
    dest = (heap ? t_malloc(BYTES) : static_dest);
    source = (heap ? t_malloc(BYTES / 2) : static_source);
    made = t_groups(groups);
    for (int k = 0; k < made; k++) {
        g = &groups[k];
        n = argc > 1 ? (size_t)atol(argv[1]) : 1000;
        T_WHAT("%zu on %d%+d*%d", n, g->start, g->stride, g->size);
        if (g->me >= 0) {
            moves();
            sums(0);
            sums(1);
        }
    }
    t_groups_destroy(groups, made);
    return t_done();
}
