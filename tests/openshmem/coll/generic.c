/* The C11 generic macros of collectives and contexts: every macro, every type its list can tell apart, const sources,
 * and the names that are macro and function at once.
 * rules: 7 8 9 203 206 207 209 217 218 */
#include <complex.h>

#include "coll/coll.h"

enum { N = 3, MOST = 16 };
#define TEAM SHMEM_TEAM_WORLD

/* What member `pe` gives: small numbers, exact in every type. */
static int value(int i, int pe) { return 1 + (i + pe) % 3; }

/* The sum of what the first `upto` members give. */
static int sum(int i, int upto)
{
    int all = 0;
    for (int pe = 0; pe < upto; pe++)
        all += value(i, pe);
    return all;
}

/* A collective call gives `COUNT` elements: GOT is element i, and WANT what it has to be. */
#define CHECK_CALL(TYPE, CALL, COUNT, GOT, WANT)                                               \
    do {                                                                                       \
        CHECK_EQ(CALL, 0);                                                                     \
        for (int i = 0; i < (COUNT); i++)                                                      \
            CHECK(GOT == (TYPE)(WANT));                                                        \
        CHECK_EQ(shmem_sync(TEAM), 0);                                                         \
    } while (0)

#define MOVES(NAME, TYPE, KIND)                                                                \
    static TYPE source_##NAME[2 * N * MOST], dest_##NAME[2 * N * MOST];                        \
    static void moves_##NAME(void)                                                             \
    {                                                                                          \
        TYPE *s = source_##NAME, *d = dest_##NAME;                                             \
        const TYPE *c = s;                                                                     \
        const int root = t_npes - 1, all = N * t_npes;                                         \
        t_what = #NAME;                                                                        \
        for (int i = 0; i < 2 * all; i++)                                                      \
            s[i] = (TYPE)value(i, t_me);                                                       \
        CHECK_CALL(TYPE, shmem_broadcast(TEAM, d, c, N, root), N, d[i], value(i, root));       \
        CHECK_CALL(TYPE, shmem_collect(TEAM, d, c, N), all, d[i], value(i % N, i / N));        \
        CHECK_CALL(TYPE, shmem_fcollect(TEAM, d, c, N), all, d[i], value(i % N, i / N));       \
        CHECK_CALL(TYPE, shmem_alltoall(TEAM, d, s, N), all, d[i], value(t_me * N + i % N, i / N));\
        CHECK_CALL(TYPE, shmem_alltoalls(TEAM, d, c, 2, 1, N), all, d[2 * i],                  \
                   value(t_me * N + i % N, i / N));                                            \
    }
T_GENERIC_RMA(MOVES)

/* One reduction against a fold over all PEs. */
#define CHECK_REDUCE(MACRO, TYPE, FOLD)                                                        \
    do {                                                                                       \
        CHECK_EQ(MACRO(TEAM, d, c, N), 0);                                                     \
        for (int i = 0; i < N; i++) {                                                          \
            TYPE a = (TYPE)value(i, 0);                                                        \
            for (int pe = 1; pe < t_npes; pe++) {                                              \
                const TYPE b = (TYPE)value(i, pe);                                             \
                a = (TYPE)(FOLD);                                                              \
            }                                                                                  \
            CHECK(d[i] == a);                                                                  \
        }                                                                                      \
        CHECK_EQ(shmem_sync(TEAM), 0);                                                         \
    } while (0)
#define BUFFERS(TYPE)                                                                          \
    static TYPE source[N], d[N];                                                               \
    const TYPE *c = source;                                                                    \
    for (int i = 0; i < N; i++)                                                                \
        source[i] = (TYPE)value(i, t_me);

#define BITS(NAME, TYPE, KIND)                                \
    static void bits_##NAME(void)                             \
    {                                                         \
        BUFFERS(TYPE)                                         \
        t_what = #NAME;                                       \
        CHECK_REDUCE(shmem_and_reduce, TYPE, a & b);          \
        CHECK_REDUCE(shmem_or_reduce, TYPE, a | b);           \
        CHECK_REDUCE(shmem_xor_reduce, TYPE, a ^ b);          \
    }
/* The nine of the 14 types that differ on LP64; int and long through their exact-width names. */
#define T_GENERIC_TEAM_BITS(X)                    \
    X(uchar, unsigned char, UCHAR)                \
    X(ushort, unsigned short, USHORT)             \
    X(uint, unsigned int, UINT)                   \
    X(ulong, unsigned long, ULONG)                \
    X(ulonglong, unsigned long long, ULONGLONG)   \
    X(int8, signed char, INT8)                    \
    X(int16, short, INT16)                        \
    X(int32, int, INT32)                          \
    X(int64, long, INT64)
T_GENERIC_TEAM_BITS(BITS)

#define ORDER(NAME, TYPE, KIND)                               \
    static void order_##NAME(void)                            \
    {                                                         \
        BUFFERS(TYPE)                                         \
        t_what = #NAME;                                       \
        CHECK_REDUCE(shmem_max_reduce, TYPE, a > b ? a : b);  \
        CHECK_REDUCE(shmem_min_reduce, TYPE, a < b ? a : b);  \
    }
T_GENERIC_RMA(ORDER)

#define SUMS(NAME, TYPE, KIND)                                                                 \
    static void sums_##NAME(void)                                                              \
    {                                                                                          \
        BUFFERS(TYPE)                                                                          \
        t_what = #NAME;                                                                        \
        CHECK_REDUCE(shmem_sum_reduce, TYPE, a + b);                                           \
        CHECK_REDUCE(shmem_prod_reduce, TYPE, a *b);                                           \
        CHECK_CALL(TYPE, shmem_sum_inscan(TEAM, d, c, N), N, d[i], sum(i, t_me + 1));          \
        CHECK_CALL(TYPE, shmem_sum_exscan(TEAM, d, c, N), N, d[i], sum(i, t_me));              \
    }
T_GENERIC_RMA(SUMS)
T_ASET_COMPLEX(SUMS)

/* With a context first, the second argument selects; the context's numbers are its team's. */
#define ON_CTX(NAME, TYPE, KIND)                                          \
    static void ctx_##NAME(shmem_ctx_t ctx, int pe)                       \
    {                                                                     \
        static TYPE cell[8];                                              \
        TYPE v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8] = {0};               \
        const TYPE *c = v, *there = cell;                                 \
        t_what = #NAME;                                                   \
        shmem_put(ctx, cell, c, 2, pe);                                   \
        shmem_p(ctx, cell + 2, v[2], pe);                                 \
        shmem_iput(ctx, cell + 3, c + 3, 2, 2, 2, pe);                    \
        shmem_ibput(ctx, cell + 4, c + 4, 2, 2, 1, 1, pe);                \
        shmem_put_nbi(ctx, cell + 6, c + 6, 2, pe);                       \
        shmem_ctx_quiet(ctx);                                             \
        shmem_get(ctx, got, there, 2, pe);                                \
        got[2] = shmem_g(ctx, there + 2, pe);                             \
        shmem_iget(ctx, got + 3, there + 3, 2, 2, 2, pe);                 \
        shmem_ibget(ctx, got + 4, there + 4, 2, 2, 1, 1, pe);             \
        shmem_get_nbi(ctx, got + 6, there + 6, 2, pe);                    \
        shmem_ctx_quiet(ctx);                                             \
        for (int i = 0; i < 8; i++)                                       \
            CHECK(i == 3 || i == 5 || got[i] == (TYPE)(i + 1));           \
        CHECK(got[3] == 4 && got[5] == 6);                                \
    }
T_GENERIC_RMA(ON_CTX)

/* Macro and function under one name. */
static void both(void)
{
    static long sync[SHMEM_SYNC_SIZE];
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    shmem_sync(0, 0, t_npes, sync);
    CHECK_EQ(shmem_sync(SHMEM_TEAM_WORLD), 0);
    CHECK_EQ(shmem_sync(SHMEM_TEAM_SHARED), 0);
    (shmem_sync)(0, 0, t_npes, sync);
}

int main(void)
{
    shmem_team_t back;
    shmem_ctx_t ctx;
    t_init();
#define RUN_MOVES(NAME, TYPE, KIND) moves_##NAME();
#define RUN_BITS(NAME, TYPE, KIND) bits_##NAME();
#define RUN_ORDER(NAME, TYPE, KIND) order_##NAME();
#define RUN_SUMS(NAME, TYPE, KIND) sums_##NAME();
    T_GENERIC_RMA(RUN_MOVES)
    T_GENERIC_TEAM_BITS(RUN_BITS)
    T_GENERIC_RMA(RUN_ORDER)
    T_GENERIC_RMA(RUN_SUMS)
    T_ASET_COMPLEX(RUN_SUMS)
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, t_npes - 1, -1, t_npes, NULL, 0, &back), 0);
    CHECK_EQ(shmem_team_create_ctx(back, 0, &ctx), 0);
#define RUN_CTX(NAME, TYPE, KIND) ctx_##NAME(ctx, t_npes - 1 - t_right());
    T_GENERIC_RMA(RUN_CTX)
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(back);
    both();
    return t_done();
}
