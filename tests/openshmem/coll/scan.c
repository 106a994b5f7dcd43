/* Prefix sums on all types of their table, in the order of the team, in place and not, for counts around the sizes at
 * which the library changes its way; exscan writes zeros on member 0. Arguments: `heap` or `statics`; coll.h.
 * shmem_TYPENAME_sum_inscan, shmem_TYPENAME_sum_exscan
 * rules: 118 182 184 189 190 208 210 215 217 218 */
#include <complex.h>

#include "coll/coll.h"

T_RMA(T_DEFINE_EDGE)

enum { MOST = 17000, GUARD = 64 };
static unsigned char statics[4][MOST + GUARD] __attribute__((aligned(16)));

typedef struct {
    const char *name;
    size_t size;
    int (*call[2])(shmem_team_t team, void *dest, const void *source, size_t n); /* exscan, inscan */
    void (*fill)(void *to, size_t n, int pe);
    /* index of the first element that is not the sum over the first `upto` members, or n */
    size_t (*wrong)(const void *got, size_t n, const t_group *g, int upto);
} scan;

#define DEFINE(NAME, TYPE, F, VALUE)                                                                \
    static int in_##NAME(shmem_team_t team, void *dest, const void *source, size_t n)              \
    {                                                                                               \
        return shmem_##NAME##_sum_inscan(team, dest, source, n);                                    \
    }                                                                                               \
    static int ex_##NAME(shmem_team_t team, void *dest, const void *source, size_t n)              \
    {                                                                                               \
        return shmem_##NAME##_sum_exscan(team, dest, source, n);                                    \
    }                                                                                               \
    static void fill_##NAME(void *to, size_t n, int pe)                                             \
    {                                                                                               \
        for (int i = 0; i < (int)n; i++)                                                            \
            ((TYPE *)to)[i] = VALUE(NAME, TYPE, i, pe);                                             \
    }                                                                                               \
    static size_t wrong_##NAME(const void *got, size_t n, const t_group *g, int upto)               \
    {                                                                                               \
        for (int i = 0; i < (int)n; i++) {                                                          \
            TYPE want = 0;                                                                          \
            for (int m = 0; m < upto; m++)                                                          \
                want = (TYPE)F(want, VALUE(NAME, TYPE, i, t_world(g, m)));                          \
            if (!(((const TYPE *)got)[i] == want))                                                  \
                return (size_t)i;                                                                   \
        }                                                                                           \
        return n;                                                                                   \
    }
#define DEFINE_INTEGER(NAME, TYPE, KIND) DEFINE(NAME, TYPE, WRAP_SUM, INTEGER)
#define DEFINE_REAL(NAME, TYPE, KIND) DEFINE(NAME, TYPE, SUM, EXACT)
#define DEFINE_COMPLEX(NAME, TYPE, KIND) DEFINE(NAME, TYPE, SUM, WHIRL)
T_TEAM_INTEGER(DEFINE_INTEGER)
T_REAL(DEFINE_REAL)
T_ASET_COMPLEX(DEFINE_COMPLEX)
#define ROW(NAME, TYPE, KIND) {#NAME, sizeof(TYPE), {ex_##NAME, in_##NAME}, fill_##NAME, wrong_##NAME},
static const scan all[] = {T_RMA(ROW) T_ASET_COMPLEX(ROW)};

static unsigned char *buffers[4]; /* two sources, two dests, used in turn */

static void one(const scan *s, const t_group *g, size_t n, int inclusive, int in_place, int turn)
{
    static unsigned char before[MOST];
    unsigned char *dest = buffers[turn], *source = in_place ? dest : buffers[2 + turn];
    const size_t len = n * s->size;
    size_t bad;
    memset(dest, 0x77, len + GUARD);
    s->fill(source, n, t_me);
    memcpy(before, source, len);
    CHECK_EQ(shmem_team_sync(g->team), 0);
    CHECK_EQ(s->call[inclusive](g->team, dest, source, n), 0);
    bad = s->wrong(dest, n, g, g->me + inclusive);
    if (bad != n)
        t_fail(__FILE__, __LINE__, "%s %sscan: element %zu of %zu at %d of %d%+d*%d is wrong%s", s->name,
               inclusive ? "in" : "ex", bad, n, g->me, g->start, g->stride, g->size, in_place ? " in place" : "");
    if (g->me == 0 && !inclusive && strcmp(s->name, "longdouble"))
        CHECK_FILL(dest, 0, len);
    CHECK_FILL(dest + len, 0x77, GUARD);
    if (!in_place)
        CHECK_BYTES(source, before, len);
}

int main(int argc, char **argv)
{
    const int heap = argc > 1 && !strcmp(argv[1], "heap"), every = t_every(argc, argv);
    t_group groups[T_GROUPS];
    int made, turn = 0;
    t_init();
    for (int k = 0; k < 4; k++)
        buffers[k] = heap ? t_malloc(MOST + GUARD) : statics[k];
    made = t_groups(groups);
    for (int k = 0; k < made; k++)
        for (int i = k % every; groups[k].me >= 0 && i < (int)(sizeof all / sizeof *all); i += every) {
            const scan *s = &all[i];
            const size_t size = s->size;
            const size_t counts[] = {0,           1,    3, T_SMALL / size, T_SMALL / size + 1, T_EAGER / size,
                                     T_EAGER / size + 1, 1001};
            for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
                for (int how = 0; how < 4; how++)
                    one(s, &groups[k], counts[c], how & 1, how >> 1, turn ^= 1);
        }
    t_groups_destroy(groups, made);
    return t_done();
}
