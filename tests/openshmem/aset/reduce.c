/* Active-set reductions: all types and operations of their table, at edge values and with wrap-around, in place and
 * not, for 1, few and many elements, over the world, over strided sets, and over two disjoint sets at once; nothing
 * is written behind dest or beyond pWrk; pSync is left as it was. Arrays alternate, as programs do.
 * shmem_TYPENAME_{and,or,xor,max,min,sum,prod}_to_all
 * rules: 182 209 210 213 215 219 220 221 222 223 224 225 226 227 */
#include <complex.h>

#include "check.h"
#include "types.h"

T_ASET_ORDER(T_DEFINE_EDGE)

enum { MOST = 300, GUARD = 8, SETS = 2 };
static const int counts[] = {1, 2, 7, 64, MOST};

/* pSync for each set: two for reductions, used in turn, and one for barriers. */
static long syncs[SETS][2][SHMEM_REDUCE_SYNC_SIZE], barrier_sync[SETS][SHMEM_BARRIER_SYNC_SIZE];
#define WORK(n) ((n) / 2 + 1 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? (n) / 2 + 1 : SHMEM_REDUCE_MIN_WRKDATA_SIZE)
enum { WORK_MOST = MOST / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE };

static int set, start, log_stride, size, turn; /* the active set at work; turn flips with each call */

static int member(void)
{
    int i = t_me - start;
    return i >= 0 && (i & ((1 << log_stride) - 1)) == 0 && i >> log_stride < size;
}
static int member_pe(int i) { return start + (i << log_stride); }

#define REDUCE(NAME, TYPE, OP, F, VALUE)                                                                             \
    static void NAME##_##OP(void)                                                                                    \
    {                                                                                                                \
        static TYPE source[SETS][2][MOST], dest[SETS][2][MOST + GUARD], work[SETS][2][WORK_MOST + GUARD];            \
        t_what = #NAME " " #OP;                                                                                      \
        for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)                                                \
            for (int in_place = 0; in_place < 2; in_place++) {                                                       \
                const int n = counts[c], t = turn ^= 1;                                                              \
                TYPE *d = dest[set][t], *s = in_place ? d : source[set][t], *w = work[set][t];                       \
                long *sync = syncs[set][t];                                                                          \
                memset(w, 0x77, sizeof work[set][t]);                                                                \
                memset(d, 0x77, sizeof dest[set][t]);                                                                \
                for (int i = 0; i < n; i++)                                                                          \
                    s[i] = VALUE(NAME, TYPE, i, t_me);                                                               \
                /* dest must be ready everywhere before anybody calls */                                             \
                shmem_barrier(start, log_stride, size, barrier_sync[set]);                                            \
                shmem_##NAME##_##OP##_to_all(d, s, n, start, log_stride, size, w, sync);                             \
                for (int i = 0; i < n; i++) {                                                                        \
                    TYPE want = VALUE(NAME, TYPE, i, member_pe(0));                                                  \
                    for (int m = 1; m < size; m++)                                                                   \
                        want = (TYPE)F(want, VALUE(NAME, TYPE, i, member_pe(m)));                                    \
                    if (!(d[i] == want)) {                                                                           \
                        t_fail(__FILE__, __LINE__, "element %d of %d over %d+%d*2^%d is wrong%s", i, n, start, size, \
                               log_stride, in_place ? " in place" : "");                                             \
                        break;                                                                                       \
                    }                                                                                                \
                    if (!in_place)                                                                                   \
                        CHECK(s[i] == VALUE(NAME, TYPE, i, t_me));                                                   \
                }                                                                                                    \
                CHECK_FILL(d + n, 0x77, GUARD * sizeof(TYPE));                                                       \
                CHECK_FILL(w + WORK(n), 0x77, GUARD * sizeof(TYPE));                                                 \
                for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)                                                     \
                    CHECK_EQ(sync[i], SHMEM_SYNC_VALUE);                                                             \
            }                                                                                                        \
    }

#define BITS(NAME, TYPE, KIND)               \
    REDUCE(NAME, TYPE, and, AND, INTEGER)    \
    REDUCE(NAME, TYPE, or, OR, INTEGER)      \
    REDUCE(NAME, TYPE, xor, XOR, INTEGER)    \
    REDUCE(NAME, TYPE, max, MAXOF, INTEGER)  \
    REDUCE(NAME, TYPE, min, MINOF, INTEGER)  \
    REDUCE(NAME, TYPE, sum, WRAP_SUM, INTEGER)   \
    REDUCE(NAME, TYPE, prod, WRAP_PROD, INTEGER) \
    static void all_##NAME(void)             \
    {                                        \
        NAME##_and(), NAME##_or(), NAME##_xor(), NAME##_max(), NAME##_min(), NAME##_sum(), NAME##_prod(); \
    }
T_ASET_BITS(BITS)

#define REAL(NAME, TYPE)                     \
    REDUCE(NAME, TYPE, max, MAXOF, EXACT)    \
    REDUCE(NAME, TYPE, min, MINOF, EXACT)    \
    REDUCE(NAME, TYPE, sum, SUM, EXACT)      \
    REDUCE(NAME, TYPE, prod, PROD, POWERS)   \
    static void all_##NAME(void) { NAME##_max(), NAME##_min(), NAME##_sum(), NAME##_prod(); }
REAL(float, float)
REAL(double, double)
REAL(longdouble, long double)

#define COMPLEX(NAME, TYPE, KIND)            \
    REDUCE(NAME, TYPE, sum, SUM, WHIRL)      \
    REDUCE(NAME, TYPE, prod, PROD, WHIRL)    \
    static void all_##NAME(void) { NAME##_sum(), NAME##_prod(); }
T_ASET_COMPLEX(COMPLEX)

static void everything(void)
{
    if (!member())
        return;
    all_short(), all_int(), all_long(), all_longlong();
    all_float(), all_double(), all_longdouble();
    all_complexd(), all_complexf();
}

int main(void)
{
    t_init();
    for (int k = 0; k < SETS; k++)
        for (int t = 0; t < 2; t++)
            for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
                syncs[k][t][i] = SHMEM_SYNC_VALUE;
    for (int k = 0; k < SETS; k++)
        for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
            barrier_sync[k][i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();

    start = 0, log_stride = 0, size = t_npes;
    everything();
    shmem_barrier_all();
    /* every second PE from 1 on; the others do not take part */
    if (t_npes > 2) {
        start = 1, log_stride = 1, size = t_npes / 2;
        everything();
        shmem_barrier_all();
    }
    /* even and odd PEs at once, each set with its own arrays */
    if (t_npes >= 4) {
        set = t_me & 1, start = set, log_stride = 1, size = (t_npes + 1 - set) / 2;
        everything();
        shmem_barrier_all();
    }
    return t_done();
}
