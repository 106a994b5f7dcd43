/* Floating-point reductions of numbers whose sum depends on the order: every member gets the same bits, in place or
 * not, small or large, and they are those of the order of the members.
 * shmem_{float,double,longdouble,complexf,complexd}_{sum,prod}_reduce
 * rules: 209 210 216 */
#include <complex.h>

#include "coll/coll.h"

enum { MOST = 20000, BYTES = MOST * 16 };
static unsigned char source[BYTES] __attribute__((aligned(16))), dest[BYTES] __attribute__((aligned(16)));
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

static void same_bits(const t_group *g, const char *what, size_t n, size_t size, size_t value_bytes)
{
    static unsigned char first[BYTES];
    CHECK_EQ(shmem_team_sync(g->team), 0);
    shmem_getmem(first, dest, n * size, t_world(g, 0));
    for (size_t i = 0; i < n; i++)
        if (memcmp(dest + i * size, first + i * size, value_bytes)) {
            t_fail(__FILE__, __LINE__, "%s: element %zu of %zu differs between members %d and 0", what, i, n, g->me);
            break;
        }
    CHECK_EQ(shmem_team_sync(g->team), 0);
}


#define ONE(NAME, TYPE, OP, NUMBER)                                                        \
    static void NAME##_##OP(const t_group *g, size_t n, int in_place)                      \
    {                                                                                      \
        TYPE *s = (TYPE *)(in_place ? dest : source), *d = (TYPE *)dest;                   \
        for (size_t i = 0; i < n; i++)                                                     \
            s[i] = (TYPE)NUMBER(TYPE);                                                     \
        CHECK_EQ(shmem_team_sync(g->team), 0);                                             \
        CHECK_EQ(shmem_##NAME##_##OP##_reduce(g->team, d, s, n), 0);                       \
        if (!in_place && g->me == 0) { /* the sources stay until same_bits has let all go on */ \
            static TYPE want[MOST], other[MOST];                                           \
            memcpy(want, s, n * sizeof(TYPE));                                             \
            for (int m = 1; m < g->size; m++) {                                            \
                shmem_getmem(other, s, n * sizeof(TYPE), t_world(g, m));                   \
                for (size_t i = 0; i < n; i++)                                             \
                    want[i] = want[i] OP_##OP other[i];                                    \
            }                                                                              \
            for (size_t i = 0; i < n; i++)                                                 \
                if (memcmp(&d[i], &want[i], T_VALUE_BYTES(TYPE))) {                        \
                    t_fail(__FILE__, __LINE__, #NAME " " #OP ": element %zu of %zu: wrong order", i, n);               \
                    break;                                                                 \
                }                                                                          \
        }                                                                                  \
        same_bits(g, #NAME " " #OP, n, sizeof(TYPE), T_VALUE_BYTES(TYPE));                 \
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

int main(void)
{
    static const size_t counts[] = {1, 3, 4, 7, 8, 100, 300, 2000, MOST};
    t_group groups[T_GROUPS];
    int made;
    t_init();
    state = 0x1234567 + 99991 * (uint64_t)t_me;
    made = t_groups(groups);
    for (int k = 0; k < made; k++)
        for (unsigned c = 0; groups[k].me >= 0 && c < sizeof counts / sizeof *counts; c++)
            for (int in_place = 0; in_place < 2; in_place++) {
#define RUN(NAME, TYPE, KIND)                       \
    NAME##_sum(&groups[k], counts[c], in_place);    \
    NAME##_prod(&groups[k], counts[c], in_place);
                T_REAL(RUN)
                T_ASET_COMPLEX(RUN)
            }
    t_groups_destroy(groups, made);
    return t_done();
}
