/* Collectives of many elements: all routines with N longs per block, N the first argument, at odd offsets from the
 * buffers' starts; in place where that is allowed. Second argument: `heap` or `statics`.
 * rules: 31 182 184 187 190 200 201 203 206 207 209 210 217 */
#include "coll/coll.h"

enum { BYTES = 18 << 20 };
#define FILLER 0x7777777777777777
static long static_dest[BYTES / sizeof(long)], static_source[BYTES / 2 / sizeof(long)];
static long *dest, *source;
static size_t n;
static const t_group *g;

/* Element i of what PE `pe` gives. */
static long value(size_t i, int pe)
{
    return (long)(i * 0x9e3779b97f4a7c15u) ^ (long)pe << 40 ^ pe;
}

static void prepare(const char *what, size_t from, size_t into, int same)
{
    T_WHAT("%s of %zu on %d%+d*%d", what, n, g->start, g->stride, g->size);
    if (from * sizeof(long) > BYTES / 2 || (into + 1) * sizeof(long) > BYTES)
        T_DIE("%zu and %zu longs do not fit", from, into);
    memset(dest, 0x77, (into + 1) * sizeof *dest);
    for (size_t i = 0; i < from; i++)
        (same ? dest : source)[i] = value(i, t_me);
    CHECK_EQ(shmem_team_sync(g->team), 0);
}

static void check_part(size_t at, size_t from, size_t count, int pe)
{
    CHECK_EACH(count, dest[at + i], value(from + i, pe));
}

/* Nothing has been written behind dest's `at` elements. */
static void check_end(size_t at)
{
    CHECK_EQ(dest[at], FILLER);
}

static void moves(void)
{
    const size_t team = (size_t)g->size;
    size_t at = 0;
    for (int root = 0; root < g->size; root += g->size > 1 ? g->size - 1 : 1) {
        prepare("broadcast", n, n, 0);
        CHECK_EQ(shmem_long_broadcast(g->team, dest, source, n, root), 0);
        check_part(0, 0, n, t_world(g, root));
        check_end(n);
    }
    prepare("fcollect", n, n * team, 0);
    CHECK_EQ(shmem_long_fcollect(g->team, dest, source, n), 0);
    for (int i = 0; i < g->size; i++)
        check_part((size_t)i * n, 0, n, t_world(g, i));
    check_end(n * team);

    prepare("collect", n, n * team, 0);
    CHECK_EQ(shmem_long_collect(g->team, dest, source, g->me % 2 ? 3 : n - (size_t)g->me), 0);
    for (int i = 0; i < g->size; i++) {
        const size_t count = i % 2 ? 3 : n - (size_t)i;
        check_part(at, 0, count, t_world(g, i));
        at += count;
    }
    check_end(at);

    prepare("alltoall", n * team, n * team, 0);
    CHECK_EQ(shmem_long_alltoall(g->team, dest, source, n), 0);
    for (int k = 0; k < g->size; k++)
        check_part((size_t)k * n, (size_t)g->me * n, n, t_world(g, k));
    check_end(n * team);

    prepare("alltoalls", n * team, 2 * n * team, 0);
    CHECK_EQ(shmem_long_alltoalls(g->team, dest, source, 2, 1, n), 0);
    CHECK_EACH(n * team, dest[2 * i], value((size_t)g->me * n + i % n, t_world(g, (int)(i / n))));
    CHECK_EACH(n * team, dest[2 * i + 1], FILLER);
    check_end(2 * n * team);
}

/* Sum of the first `upto` members' elements i. */
static long sum(size_t i, int upto)
{
    unsigned long s = 0;
    for (int m = 0; m < upto; m++)
        s += (unsigned long)value(i, t_world(g, m));
    return (long)s;
}

static void check_sums(int upto)
{
    CHECK_EACH(n, dest[i], sum(i, upto));
    check_end(n);
}

static void sums(int same)
{
    const long *from = same ? dest : source;
    prepare(same ? "reduce in place" : "reduce", n, n, same);
    CHECK_EQ(shmem_long_sum_reduce(g->team, dest, from, n), 0);
    check_sums(g->size);
    prepare(same ? "inscan in place" : "inscan", n, n, same);
    CHECK_EQ(shmem_long_sum_inscan(g->team, dest, from, n), 0);
    check_sums(g->me + 1);
    prepare(same ? "exscan in place" : "exscan", n, n, same);
    CHECK_EQ(shmem_long_sum_exscan(g->team, dest, from, n), 0);
    check_sums(g->me);
}

int main(int argc, char **argv)
{
    const int heap = argc > 2 && !strcmp(argv[2], "heap");
    t_group groups[T_GROUPS];
    int made;
    t_init();
    dest = heap ? t_malloc(BYTES) : static_dest;
    source = heap ? t_malloc(BYTES / 2) : static_source;
    made = t_groups(groups);
    n = argc > 1 ? (size_t)atol(argv[1]) : 1000;
    for (int k = 0; k < made; k++) {
        g = &groups[k];
        if (g->me >= 0) {
            moves();
            sums(0);
            sums(1);
        }
    }
    t_groups_destroy(groups, made);
    return t_done();
}
