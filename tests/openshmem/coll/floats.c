/* Floating-point reductions of numbers whose result depends on the order: every member gets the same bits, in place or
 * not, small or large. Of doubles they are the same in each of ten calls, in scans and active sets too. With
 * OSHMPI_COLL_ORDER=strict they are those of the order of the members.
 * shmem_{float,double,longdouble,complexf,complexd}_{sum,prod}_reduce, shmem_double_sum_inscan, shmem_double_sum_to_all
 * rules: 209 210 216 */
#include <complex.h>

#include "coll/coll.h"

enum { MOST = 20000, DOUBLES = 100000, BYTES = DOUBLES * sizeof(double), RUNS = 10 };
static unsigned char source[BYTES] __attribute__((aligned(16))), dest[BYTES] __attribute__((aligned(16)));
static unsigned char theirs[BYTES];
static uint64_t state;

/* Numbers of very different sizes, exact in every type. */
static double number(void)
{
    const double mantissa = (double)(t_random(&state) % 1000003) / 1000003 - 0.5;
    return ldexp(mantissa, (int)(t_random(&state) % 40) - 20);
}
/* Around 1, so that products stay in range. */
static double factor(void)
{
    return 0.75 + (double)(t_random(&state) % 1000003) / 2000006;
}

static void same(const char *beside, const void *want, size_t n, size_t size, size_t value_bytes)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(dest + i * size, (const char *)want + i * size, value_bytes)) {
            t_fail(__FILE__, __LINE__, "element %zu of %zu differs from that of %s", i, n, beside);
            return;
        }
}

static void same_everywhere(const t_group *g, size_t n, size_t size, size_t value_bytes)
{
    CHECK_EQ(shmem_team_sync(g->team), 0);
    shmem_getmem(theirs, dest, n * size, t_world(g, 0));
    same("member 0", theirs, n, size, value_bytes);
    CHECK_EQ(shmem_team_sync(g->team), 0);
}

#define ONE(NAME, TYPE, OP, NUMBER)                                                             \
    static void NAME##_##OP(const t_group *g, size_t n, int in_place)                           \
    {                                                                                           \
        TYPE *s = (TYPE *)source, *d = (TYPE *)dest;                                            \
        T_WHAT(#NAME " " #OP ", %d members", g->size);                                          \
        for (size_t i = 0; i < n; i++)                                                          \
            s[i] = (TYPE)NUMBER(TYPE);                                                          \
        if (in_place)                                                                           \
            memcpy(d, s, n * sizeof(TYPE));                                                     \
        CHECK_EQ(shmem_team_sync(g->team), 0);                                                  \
        CHECK_EQ(shmem_##NAME##_##OP##_reduce(g->team, d, in_place ? d : s, n), 0);             \
        if (getenv("OSHMPI_COLL_ORDER") && g->me == 0) {                                        \
            static TYPE want[MOST], other[MOST]; /* the sources stay until all have been seen */ \
            memcpy(want, s, n * sizeof(TYPE));                                                  \
            for (int m = 1; m < g->size; m++) {                                                 \
                shmem_getmem(other, s, n * sizeof(TYPE), t_world(g, m));                        \
                for (size_t i = 0; i < n; i++)                                                  \
                    want[i] = want[i] OP_##OP other[i];                                         \
            }                                                                                   \
            same("the members' order", want, n, sizeof(TYPE), T_VALUE_BYTES(TYPE));             \
        }                                                                                       \
        same_everywhere(g, n, sizeof(TYPE), T_VALUE_BYTES(TYPE));                               \
    }
#define OP_sum +
#define OP_prod *
#define REAL_NUMBER(TYPE) number()
#define REAL_FACTOR(TYPE) factor()
#define COMPLEX_NUMBER(TYPE) (number() + number() * I)
#define COMPLEX_FACTOR(TYPE) (factor() + (factor() - 1) * I)
#define REAL(NAME, TYPE, KIND)         \
    ONE(NAME, TYPE, sum, REAL_NUMBER)  \
    ONE(NAME, TYPE, prod, REAL_FACTOR)
#define COMPLEX(NAME, TYPE, KIND)         \
    ONE(NAME, TYPE, sum, COMPLEX_NUMBER)  \
    ONE(NAME, TYPE, prod, COMPLEX_FACTOR)
T_REAL(REAL)
T_ASET_COMPLEX(COMPLEX)

/* Ten calls, in which an element of a member is the same each time. */
enum { REDUCE, SCAN, SET };
static void again(const t_group *g, size_t n, int kind)
{
    static double first[DOUBLES], work[DOUBLES];
    static long sync_words[SHMEM_REDUCE_SYNC_SIZE];
    double *d = (double *)dest;
    T_WHAT("ten of kind %d, %d members", kind, g->size);
    for (int run = 0; run < RUNS; run++) {
        double *s = (double *)(kind == REDUCE && run % 2 ? dest : source);
        state = 0x9e3779b97f4a7c15u + 99991 * (uint64_t)g->me;
        for (size_t i = 0; i < n; i++)
            s[i] = number();
        CHECK_EQ(shmem_team_sync(g->team), 0);
        switch (kind) {
        case REDUCE: CHECK_EQ(shmem_double_sum_reduce(g->team, d, s, n), 0); break;
        case SCAN: CHECK_EQ(shmem_double_sum_inscan(g->team, d, s, n), 0); break;
        case SET: shmem_double_sum_to_all(d, s, (int)n, g->start, g->stride / 2, g->size, work, sync_words); break;
        }
        if (run == 0)
            memcpy(first, d, n * sizeof *d);
        same("the first run", first, n, sizeof *d, sizeof *d);
        if (kind == SCAN)
            CHECK_EQ(shmem_team_sync(g->team), 0);
        else
            same_everywhere(g, n, sizeof *d, sizeof *d);
    }
}

int main(void)
{
    static const size_t counts[] = {1, 3, 4, 7, 8, 100, 300, 2000, MOST}, of_doubles[] = {1, 7, 300, 5000, DOUBLES};
    t_group groups[T_GROUPS];
    int made;
    t_init();
    made = t_groups(groups);
    for (int k = 0; k < made; k++) {
        state = 0x1234567 + 99991 * (uint64_t)t_me;
        for (unsigned c = 0; groups[k].me >= 0 && c < sizeof counts / sizeof *counts; c++)
            for (int in_place = 0; in_place < 2; in_place++) {
#define RUN(NAME, TYPE, KIND)                       \
    NAME##_sum(&groups[k], counts[c], in_place);    \
    NAME##_prod(&groups[k], counts[c], in_place);
                T_REAL(RUN)
                T_ASET_COMPLEX(RUN)
            }
        for (unsigned c = 0; groups[k].me >= 0 && c < sizeof of_doubles / sizeof *of_doubles; c++)
            for (int kind = REDUCE; kind <= SET; kind++)
                if (kind != SET || groups[k].stride == 1 || groups[k].stride == 2)
                    again(&groups[k], of_doubles[c], kind);
        shmem_barrier_all(); /* the next set has the same words to synchronize */
    }
    t_groups_destroy(groups, made);
    return t_done();
}
