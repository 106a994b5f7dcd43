/* Team reductions: all operations on all types of their tables, at edge values and with wrap-around, in place and not,
 * for counts around the sizes at which the library changes its way, on teams of many shapes. Nothing is written behind
 * dest, and the source stays as it was. Arguments: `heap` or `statics`, where the buffers lie; coll.h.
 * shmem_TYPENAME_{and,or,xor,max,min,sum,prod}_reduce
 * rules: 118 182 184 186 187 189 190 209 210 211 212 214 215 */
#include <complex.h>

#include "coll/coll.h"

T_RMA(T_DEFINE_EDGE)

enum { MOST = 17000, GUARD = 64 };
static unsigned char statics[4][MOST + GUARD] __attribute__((aligned(16)));

/* One operation on one type. */
typedef struct {
    const char *name;
    size_t size;
    int (*call)(shmem_team_t team, void *dest, const void *source, size_t n);
    void (*fill)(void *to, size_t n, int pe);
    /* index of the first element that is not the reduction over the group's contributions, or n */
    size_t (*wrong)(const void *got, size_t n, const t_group *g);
} reduction;

#define DEFINE(NAME, TYPE, OP, F, VALUE)                                                            \
    static int call_##NAME##_##OP(shmem_team_t team, void *dest, const void *source, size_t n)     \
    {                                                                                               \
        return shmem_##NAME##_##OP##_reduce(team, dest, source, n);                                 \
    }                                                                                               \
    static void fill_##NAME##_##OP(void *to, size_t n, int pe)                                      \
    {                                                                                               \
        for (int i = 0; i < (int)n; i++)                                                            \
            ((TYPE *)to)[i] = VALUE(NAME, TYPE, i, pe);                                             \
    }                                                                                               \
    static size_t wrong_##NAME##_##OP(const void *got, size_t n, const t_group *g)                  \
    {                                                                                               \
        for (int i = 0; i < (int)n; i++) {                                                          \
            TYPE want = VALUE(NAME, TYPE, i, t_world(g, 0));                                        \
            for (int m = 1; m < g->size; m++)                                                       \
                want = (TYPE)F(want, VALUE(NAME, TYPE, i, t_world(g, m)));                          \
            if (!(((const TYPE *)got)[i] == want))                                                  \
                return (size_t)i;                                                                   \
        }                                                                                           \
        return n;                                                                                   \
    }
#define ROW(NAME, TYPE, OP) \
    {#NAME " " #OP, sizeof(TYPE), call_##NAME##_##OP, fill_##NAME##_##OP, wrong_##NAME##_##OP},

#define DEFINE_BITS(NAME, TYPE, KIND)        \
    DEFINE(NAME, TYPE, and, AND, INTEGER)    \
    DEFINE(NAME, TYPE, or, OR, INTEGER)      \
    DEFINE(NAME, TYPE, xor, XOR, INTEGER)
#define DEFINE_INTEGER(NAME, TYPE, KIND)         \
    DEFINE(NAME, TYPE, max, MAXOF, INTEGER)      \
    DEFINE(NAME, TYPE, min, MINOF, INTEGER)      \
    DEFINE(NAME, TYPE, sum, WRAP_SUM, INTEGER)   \
    DEFINE(NAME, TYPE, prod, WRAP_PROD, INTEGER)
#define DEFINE_REAL(NAME, TYPE, KIND)        \
    DEFINE(NAME, TYPE, max, MAXOF, EXACT)    \
    DEFINE(NAME, TYPE, min, MINOF, EXACT)    \
    DEFINE(NAME, TYPE, sum, SUM, EXACT)      \
    DEFINE(NAME, TYPE, prod, PROD, POWERS)
#define DEFINE_COMPLEX(NAME, TYPE, KIND)     \
    DEFINE(NAME, TYPE, sum, SUM, WHIRL)      \
    DEFINE(NAME, TYPE, prod, PROD, WHIRL)
T_TEAM_BITS(DEFINE_BITS)
T_TEAM_INTEGER(DEFINE_INTEGER)
T_REAL(DEFINE_REAL)
T_ASET_COMPLEX(DEFINE_COMPLEX)

#define ROWS_BITS(NAME, TYPE, KIND) ROW(NAME, TYPE, and) ROW(NAME, TYPE, or) ROW(NAME, TYPE, xor)
#define ROWS_COMPLEX(NAME, TYPE, KIND) ROW(NAME, TYPE, sum) ROW(NAME, TYPE, prod)
#define ROWS_ORDER(NAME, TYPE, KIND) ROW(NAME, TYPE, max) ROW(NAME, TYPE, min) ROWS_COMPLEX(NAME, TYPE, KIND)
static const reduction all[] = {T_TEAM_BITS(ROWS_BITS) T_RMA(ROWS_ORDER) T_ASET_COMPLEX(ROWS_COMPLEX)};

static unsigned char *buffers[4]; /* two sources, two dests, used in turn */

static void reduce(const reduction *r, const t_group *g, size_t n, int in_place, int turn)
{
    static unsigned char before[MOST];
    unsigned char *dest = buffers[turn], *source = in_place ? dest : buffers[2 + turn];
    const size_t len = n * r->size;
    size_t bad;
    memset(dest, 0x77, len + GUARD);
    r->fill(source, n, t_me);
    memcpy(before, source, len);
    /* dest must be ready everywhere before anybody calls */
    CHECK_EQ(shmem_team_sync(g->team), 0);
    CHECK_EQ(r->call(g->team, dest, source, n), 0);
    bad = r->wrong(dest, n, g);
    if (bad != n)
        t_fail(__FILE__, __LINE__, "%s: element %zu of %zu over %d%+d*%d is wrong%s", r->name, bad, n, g->start,
               g->stride, g->size, in_place ? " in place" : "");
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
            const reduction *r = &all[i];
            const size_t size = r->size;
            const size_t counts[] = {0,           1,    3, T_SMALL / size, T_SMALL / size + 1, T_EAGER / size,
                                     T_EAGER / size + 1, 1001};
            for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
                for (int in_place = 0; in_place < 2; in_place++)
                    reduce(r, &groups[k], counts[c], in_place, turn ^= 1);
        }
    t_groups_destroy(groups, made);
    return t_done();
}
