/* Team reductions and prefix sums: all operations on all types of their tables, at edge values and with wrap-around, in
 * place and not, for counts around the sizes at which the library changes its way, on teams of many shapes. Scans go in
 * the order of the team, and exscan gives zeros to member 0. Nothing is written behind dest, and the source stays as it
 * was. With `sets` reductions of active sets: over the world, over strided sets, and over two disjoint sets at once;
 * nothing is written beyond pWrk, and pSync is left as it was.
 * Arguments: `heap` or `statics`, where the buffers lie; coll.h, or `sets`. With -DGENERIC by the macros of C11.
 * shmem_TYPENAME_{and,or,xor,max,min,sum,prod}_reduce, shmem_TYPENAME_sum_inscan, shmem_TYPENAME_sum_exscan,
 * shmem_TYPENAME_{and,or,xor,max,min,sum,prod}_to_all
 * rules: 7 8 9 118 182 184 186 187 189 190 208 209 210 211 212 213 214 215 217 218 219 220 221 222 223 224
 *   225 226 227 */
#ifndef TEMPLATES
#include <complex.h>
#endif

#include "coll/sets.h"

T_RMA(T_DEFINE_EDGE)

enum { MOST = 17000, GUARD = 64 };
static unsigned char statics[4][MOST + GUARD] __attribute__((aligned(16)));
static unsigned char work[MOST + GUARD] __attribute__((aligned(16))); /* pWrk */

/* Whose contributions a member gets. */
enum extent { OF_ALL, UP_TO_ME, BEFORE_ME };

/* One operation on one type. */
typedef struct {
    const char *name;
    size_t size;
    int (*call)(const t_group *g, void *dest, const void *source, size_t n);
    void (*fill)(void *to, size_t n, int pe);
    /* index of the first element that is not the reduction over the first `upto` members' contributions, or n */
    size_t (*wrong)(const void *got, size_t n, const t_group *g, int upto);
    enum extent upto;
} reduction;

#define CALL(NAME, TYPE, OP, FORM)                                                                                   \
    static int NAME##_##OP##_##FORM(const t_group *g, void *dest, const void *source, size_t n)                      \
    {                                                                                                                \
        return T_OF(NAME, OP##_##FORM)(g->team, (TYPE *)dest, (const TYPE *)source, n);                              \
    }
#define DEFINE(NAME, TYPE, OP, F, VALUE)                                                                  \
    CALL(NAME, TYPE, OP, reduce)                                                                          \
    JUDGE(NAME, TYPE, OP, F, VALUE)
#define JUDGE(NAME, TYPE, OP, F, VALUE)                                                             \
    static void fill_##NAME##_##OP(void *to, size_t n, int pe)                                      \
    {                                                                                               \
        for (int i = 0; i < (int)n; i++)                                                            \
            ((TYPE *)to)[i] = VALUE(NAME, TYPE, i, pe);                                             \
    }                                                                                               \
    static size_t wrong_##NAME##_##OP(const void *got, size_t n, const t_group *g, int upto)        \
    {                                                                                               \
        for (int i = 0; i < (int)n; i++) {                                                          \
            TYPE want = upto > 0 ? VALUE(NAME, TYPE, i, t_world(g, 0)) : (TYPE)0;                   \
            for (int m = 1; m < upto; m++)                                                          \
                want = (TYPE)F(want, VALUE(NAME, TYPE, i, t_world(g, m)));                          \
            if (!(((const TYPE *)got)[i] == want))                                                  \
                return (size_t)i;                                                                   \
        }                                                                                           \
        return n;                                                                                   \
    }
#define DEFINE_SUM(NAME, TYPE, F, VALUE)                                                                  \
    DEFINE(NAME, TYPE, sum, F, VALUE)                                                                     \
    CALL(NAME, TYPE, sum, inscan)                                                                         \
    CALL(NAME, TYPE, sum, exscan)
#define ROW(NAME, TYPE, OP, FORM, EXTENT)                                                           \
    {#NAME " " #OP "_" #FORM, sizeof(TYPE), NAME##_##OP##_##FORM, fill_##NAME##_##OP,               \
     wrong_##NAME##_##OP, EXTENT},

#define DEFINE_BITS(NAME, TYPE, KIND)        \
    DEFINE(NAME, TYPE, and, AND, INTEGER)    \
    DEFINE(NAME, TYPE, or, OR, INTEGER)      \
    DEFINE(NAME, TYPE, xor, XOR, INTEGER)
#define DEFINE_INTEGER(NAME, TYPE, KIND)         \
    DEFINE(NAME, TYPE, max, MAXOF, INTEGER)      \
    DEFINE(NAME, TYPE, min, MINOF, INTEGER)      \
    DEFINE_SUM(NAME, TYPE, WRAP_SUM, INTEGER)    \
    DEFINE(NAME, TYPE, prod, WRAP_PROD, INTEGER)
#define DEFINE_REAL(NAME, TYPE, KIND)        \
    DEFINE(NAME, TYPE, max, MAXOF, EXACT)    \
    DEFINE(NAME, TYPE, min, MINOF, EXACT)    \
    DEFINE_SUM(NAME, TYPE, SUM, EXACT)       \
    DEFINE(NAME, TYPE, prod, PROD, POWERS)
#define DEFINE_COMPLEX(NAME, TYPE, KIND)     \
    DEFINE_SUM(NAME, TYPE, SUM, WHIRL)       \
    DEFINE(NAME, TYPE, prod, PROD, WHIRL)
#ifndef T_BITS /* what has and, or, xor */
#define T_BITS T_TEAM_BITS
#endif
T_BITS(DEFINE_BITS)
T_TEAM_INTEGER(DEFINE_INTEGER)
T_REAL(DEFINE_REAL)
T_ASET_COMPLEX(DEFINE_COMPLEX)

#define REDUCE(NAME, TYPE, OP) ROW(NAME, TYPE, OP, reduce, OF_ALL)
#define ROWS_BITS(NAME, TYPE, KIND) REDUCE(NAME, TYPE, and) REDUCE(NAME, TYPE, or) REDUCE(NAME, TYPE, xor)
#define ROWS_COMPLEX(NAME, TYPE, KIND) REDUCE(NAME, TYPE, sum) REDUCE(NAME, TYPE, prod) \
    ROW(NAME, TYPE, sum, inscan, UP_TO_ME) ROW(NAME, TYPE, sum, exscan, BEFORE_ME)
#define ROWS_ORDER(NAME, TYPE, KIND) REDUCE(NAME, TYPE, max) REDUCE(NAME, TYPE, min) ROWS_COMPLEX(NAME, TYPE, KIND)
static const reduction all[] = {T_BITS(ROWS_BITS) T_RMA(ROWS_ORDER) T_ASET_COMPLEX(ROWS_COMPLEX)};

/* Elements that a library may write of pWrk. */
#define WORK(n) ((n) / 2 + 1 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? (n) / 2 + 1 : SHMEM_REDUCE_MIN_WRKDATA_SIZE)

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
    memset(work, 0x77, sizeof work);
    t_synchronize(g);
    CHECK_EQ(r->call(g, dest, source, n), 0);
    bad = r->wrong(dest, n, g, r->upto == OF_ALL ? g->size : r->upto == UP_TO_ME ? g->me + 1 : g->me);
    if (bad != n)
        t_fail(__FILE__, __LINE__, "%s: element %zu of %zu at %d of %d%+d*%d is wrong%s", r->name, bad, n, g->me,
               g->start, g->stride, g->size, in_place ? " in place" : "");
    /* the bytes too, but for those of a long double that do not count */
    if (r->upto == BEFORE_ME && g->me == 0 && strncmp(r->name, "longdouble", 10))
        CHECK_FILL(dest, 0, len);
    CHECK_FILL(dest + len, 0x77, GUARD);
    if (!in_place)
        CHECK_BYTES(source, before, len);
    if (t_is_set(g)) {
        CHECK_FILL(work + WORK(n) * r->size, 0x77, GUARD);
        t_check_sync();
    }
}

/* One reduction on one group, for all counts. */
static void all_counts(const reduction *r, const t_group *g)
{
    static int turn;
    const size_t small = T_SMALL / r->size, eager = T_EAGER / r->size;
    const size_t counts[] = {0, 1, 3, small, small + 1, eager, eager + 1, 1001};
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int in_place = 0; in_place < 2; in_place++)
            reduce(r, g, counts[c], in_place, turn ^= 1);
}

#ifndef TEMPLATES /* shmem.hpp has no active sets */
/* Active sets have bit operations on signed types, and few others. */
#define CALL_SET(NAME, OP)                                                                          \
    static int NAME##_##OP##_to_all(const t_group *g, void *dest, const void *source, size_t n)     \
    {                                                                                               \
        void *w = work;                                                                             \
        shmem_##NAME##_##OP##_to_all(dest, source, (int)n, T_SET(g), w, T_NEXT_SYNC());             \
        return 0;                                                                                   \
    }
#define DEFINE_SET_BITS(NAME, TYPE, KIND)                                                           \
    JUDGE(NAME, TYPE, and, AND, INTEGER) CALL_SET(NAME, and)                                        \
    JUDGE(NAME, TYPE, or, OR, INTEGER) CALL_SET(NAME, or)                                           \
    JUDGE(NAME, TYPE, xor, XOR, INTEGER) CALL_SET(NAME, xor)
#define DEFINE_SET_ORDER(NAME, TYPE, KIND) CALL_SET(NAME, max) CALL_SET(NAME, min)
#define DEFINE_SET_SUMS(NAME, TYPE, KIND) CALL_SET(NAME, sum) CALL_SET(NAME, prod)
T_ASET_BITS(DEFINE_SET_BITS)
T_ASET_ORDER(DEFINE_SET_ORDER)
T_ASET_ORDER(DEFINE_SET_SUMS)
T_ASET_COMPLEX(DEFINE_SET_SUMS)
#define OF_SET(NAME, TYPE, OP) ROW(NAME, TYPE, OP, to_all, OF_ALL)
#define SET_BITS(NAME, TYPE, KIND) OF_SET(NAME, TYPE, and) OF_SET(NAME, TYPE, or) OF_SET(NAME, TYPE, xor)
#define SET_ORDER(NAME, TYPE, KIND) OF_SET(NAME, TYPE, max) OF_SET(NAME, TYPE, min)
#define SET_SUMS(NAME, TYPE, KIND) OF_SET(NAME, TYPE, sum) OF_SET(NAME, TYPE, prod)
static const reduction of_sets[] = {T_ASET_BITS(SET_BITS) T_ASET_ORDER(SET_ORDER) T_ASET_ORDER(SET_SUMS)
                                        T_ASET_COMPLEX(SET_SUMS)};

static void on_set(int start, int log_stride, int size)
{
    const t_group g = t_set(start, log_stride, size);
    for (unsigned i = 0; g.me >= 0 && i < sizeof of_sets / sizeof *of_sets; i++)
        all_counts(&of_sets[i], &g);
    shmem_barrier_all();
}
#endif

int main(int argc, char **argv)
{
    const int heap = argc > 1 && !strcmp(argv[1], "heap"), every = t_every(argc, argv);
    t_group groups[T_GROUPS];
    int made;
    t_init();
    for (int k = 0; k < 4; k++)
        buffers[k] = heap ? (unsigned char *)t_malloc(MOST + GUARD) : statics[k];
#ifndef TEMPLATES
    if (argc > 2 && !strcmp(argv[2], "sets")) {
        t_make_syncs(heap);
        on_set(0, 0, t_npes);
        if (t_npes > 2) /* every second PE from 1 on; the others do not take part */
            on_set(1, 1, t_npes / 2);
        if (t_npes >= 4) /* even and odd PEs at once */
            on_set(t_me & 1, 1, (t_npes + 1 - (t_me & 1)) / 2);
        return t_done();
    }
#endif
    made = t_groups(groups);
    for (int k = 0; k < made; k++)
        for (int i = k % every; groups[k].me >= 0 && i < (int)(sizeof all / sizeof *all); i += every)
            all_counts(&all[i], &groups[k]);
    t_groups_destroy(groups, made);
    return t_done();
}
