/* Every AMO of the standard, extended and bitwise tables with every type: value before the update comes back,
 * wrap-around in two's complement, both outcomes of compare_swap, edge values and masks kept bit by bit, words beside
 * the target untouched. Heap and statics, right neighbour and self, blocking, non-fetching and nonblocking, with and
 * without a context, or with -DGENERIC by the macros of C11.
 * shmem_TYPENAME_atomic_{fetch,set,swap,compare_swap,fetch_inc,inc,fetch_add,add}[_nbi], shmem_ctx_...
 * shmem_TYPENAME_atomic_[fetch_]{and,or,xor}[_nbi], shmem_ctx_...
 * rules: 7 8 9 10 43 44 54 151 152 153 154 155 156 157 158 159 160 */
#include "check.h"
#include "types.h"

T_AMO_EXT(T_DEFINE_EDGE)

/* What "with a context" uses, and what completes calls without a context and with that one. */
#ifndef CTX
#define CTX SHMEM_CTX_DEFAULT
#define QUIET() shmem_quiet()
#endif
/* The word under test is box[1]; box[0] and box[2] are its neighbours. */
#define GUARDED(NAME, TYPE) \
    CHECK(T_OF(NAME, g)(&box[0], pe) == (TYPE)3 && T_OF(NAME, g)(&box[2], pe) == (TYPE)5)

/* The operations of one table on one type, at all places. */
#define RUN(TABLE, NAME, TYPE)                                                                                \
    static void run_##TABLE##_##NAME(void)                                                                    \
    {                                                                                                         \
        TYPE *heap = (TYPE *)t_malloc(3 * sizeof(TYPE));                                                      \
        TABLE##_##NAME(heap, t_right());                                                                      \
        TABLE##_##NAME(static_##NAME, t_right());                                                             \
        shmem_barrier_all();                                                                                  \
        TABLE##_##NAME(heap, t_me);                                                                           \
        TABLE##_##NAME(static_##NAME, t_me);                                                                  \
        shmem_free(heap);                                                                                     \
    }

#define EXT(NAME, TYPE, KIND)                                                                                         \
    static void ext_##NAME(TYPE *box, int pe)                                                                         \
    {                                                                                                                 \
        TYPE got = 0, old; const TYPE *word = &box[1];                                                                \
        t_what = #NAME " fetch, set, swap";                                                                           \
        T_OF(NAME, p)(&box[0], (TYPE)3, pe);                                                                          \
        T_OF(NAME, p)(&box[2], (TYPE)5, pe);                                                                          \
        QUIET();                                                                                                      \
        for (int i = 0; i < T_EDGES; i++) {                                                                           \
            TYPE v = t_edge_##NAME(i), w = t_edge_##NAME(i + 1);                                                      \
            if (i & 1)                                                                                                \
                T_OF(NAME, atomic_set)(&box[1], v, pe);                                                               \
            else                                                                                                      \
                T_CTX(NAME, atomic_set)(CTX, &box[1], v, pe);                                                         \
            QUIET();                                                                                                  \
            CHECK(t_same_##NAME(T_OF(NAME, atomic_fetch)(word, pe), v));                                              \
            CHECK(t_same_##NAME(T_CTX(NAME, atomic_fetch)(CTX, word, pe), v));                                        \
            old = T_OF(NAME, atomic_swap)(&box[1], w, pe);                                                            \
            CHECK(t_same_##NAME(old, v));                                                                             \
            old = T_CTX(NAME, atomic_swap)(CTX, &box[1], v, pe);                                                      \
            CHECK(t_same_##NAME(old, w));                                                                             \
            T_OF(NAME, atomic_swap_nbi)(&got, &box[1], w, pe);                                                        \
            QUIET();                                                                                                  \
            CHECK(t_same_##NAME(got, v));                                                                             \
            T_CTX(NAME, atomic_swap_nbi)(CTX, &got, &box[1], v, pe);                                                  \
            QUIET();                                                                                                  \
            CHECK(t_same_##NAME(got, w));                                                                             \
            T_OF(NAME, atomic_fetch_nbi)(&got, word, pe);                                                             \
            QUIET();                                                                                                  \
            CHECK(t_same_##NAME(got, v));                                                                             \
            got = w;                                                                                                  \
            T_CTX(NAME, atomic_fetch_nbi)(CTX, &got, word, pe);                                                       \
            QUIET();                                                                                                  \
            CHECK(t_same_##NAME(got, v));                                                                             \
        }                                                                                                             \
        GUARDED(NAME, TYPE);                                                                                          \
    }                                                                                                                 \
    static TYPE static_##NAME[3];                                                                                     \
    RUN(ext, NAME, TYPE)
T_AMO_EXT(EXT)

/* Sums are formed in unsigned 64 bits and cut to the type: that is two's complement whatever the sign. */
#define PLUS(TYPE, a, b) ((TYPE)((uint64_t)(a) + (uint64_t)(b)))

/* op changes box[1] from v to `after`; `old` is what a fetching form gave. */
#define FETCHES(NAME, v, after, expression)                                                                   \
    do {                                                                                                      \
        T_OF(NAME, atomic_set)(&box[1], v, pe);                                                               \
        QUIET();                                                                                              \
        CHECK_EQ(expression, v);                                                                              \
        CHECK_EQ(T_OF(NAME, atomic_fetch)(&box[1], pe), after);                                               \
    } while (0)
#define UPDATES(NAME, v, after, statement)                                                                    \
    do {                                                                                                      \
        T_OF(NAME, atomic_set)(&box[1], v, pe);                                                               \
        QUIET();                                                                                              \
        statement;                                                                                            \
        QUIET();                                                                                              \
        CHECK_EQ(T_OF(NAME, atomic_fetch)(&box[1], pe), after);                                               \
    } while (0)
#define LANDS(NAME, v, after, statement)                                                                      \
    do {                                                                                                      \
        got = PLUS(__typeof__(got), v, 1);                                                                    \
        UPDATES(NAME, v, after, statement);                                                                   \
        CHECK_EQ(got, v);                                                                                     \
    } while (0)

#define STD(NAME, TYPE, KIND)                                                                                 \
    static void std_##NAME(TYPE *box, int pe)                                                                 \
    {                                                                                                         \
        TYPE got;                                                                                             \
        T_OF(NAME, p)(&box[0], (TYPE)3, pe);                                                                  \
        T_OF(NAME, p)(&box[2], (TYPE)5, pe);                                                                  \
        QUIET();                                                                                              \
        for (int i = 0; i < T_EDGES; i++) {                                                                   \
            const TYPE v = t_edge_##NAME(i), more = PLUS(TYPE, v, 1);                                         \
            t_what = #NAME " inc";                                                                            \
            FETCHES(NAME, v, more, T_OF(NAME, atomic_fetch_inc)(&box[1], pe));                                \
            FETCHES(NAME, v, more, T_CTX(NAME, atomic_fetch_inc)(CTX, &box[1], pe));                          \
            UPDATES(NAME, v, more, T_OF(NAME, atomic_inc)(&box[1], pe));                                      \
            UPDATES(NAME, v, more, T_CTX(NAME, atomic_inc)(CTX, &box[1], pe));                                \
            LANDS(NAME, v, more, T_OF(NAME, atomic_fetch_inc_nbi)(&got, &box[1], pe));                        \
            LANDS(NAME, v, more, T_CTX(NAME, atomic_fetch_inc_nbi)(CTX, &got, &box[1], pe));                  \
            for (int j = 0; j < T_EDGES; j++) {                                                               \
                const TYPE w = t_edge_##NAME(j), sum = PLUS(TYPE, v, w);                                      \
                const TYPE other = PLUS(TYPE, v, 1);                                                          \
                t_what = #NAME " add";                                                                        \
                FETCHES(NAME, v, sum, T_OF(NAME, atomic_fetch_add)(&box[1], w, pe));                          \
                FETCHES(NAME, v, sum, T_CTX(NAME, atomic_fetch_add)(CTX, &box[1], w, pe));                    \
                UPDATES(NAME, v, sum, T_OF(NAME, atomic_add)(&box[1], w, pe));                                \
                UPDATES(NAME, v, sum, T_CTX(NAME, atomic_add)(CTX, &box[1], w, pe));                          \
                LANDS(NAME, v, sum, T_OF(NAME, atomic_fetch_add_nbi)(&got, &box[1], w, pe));                  \
                LANDS(NAME, v, sum, T_CTX(NAME, atomic_fetch_add_nbi)(CTX, &got, &box[1], w, pe));            \
                t_what = #NAME " compare_swap";                                                               \
                FETCHES(NAME, v, w, T_OF(NAME, atomic_compare_swap)(&box[1], v, w, pe));                      \
                FETCHES(NAME, v, w, T_CTX(NAME, atomic_compare_swap)(CTX, &box[1], v, w, pe));                \
                FETCHES(NAME, v, v, T_OF(NAME, atomic_compare_swap)(&box[1], other, w, pe));                  \
                FETCHES(NAME, v, v, T_CTX(NAME, atomic_compare_swap)(CTX, &box[1], other, w, pe));            \
                LANDS(NAME, v, w, T_OF(NAME, atomic_compare_swap_nbi)(&got, &box[1], v, w, pe));              \
                LANDS(NAME, v, v, T_CTX(NAME, atomic_compare_swap_nbi)(CTX, &got, &box[1], other, w, pe));    \
            }                                                                                                 \
        }                                                                                                     \
        GUARDED(NAME, TYPE);                                                                                  \
    }                                                                                                         \
    RUN(std, NAME, TYPE)
T_AMO_STD(STD)

#define BITWISE(NAME, TYPE, OP, C)                                                                            \
    do {                                                                                                      \
        const TYPE after = (TYPE)(v C w);                                                                     \
        t_what = #NAME " " #OP;                                                                               \
        FETCHES(NAME, v, after, T_OF(NAME, atomic_fetch_##OP)(&box[1], w, pe));                               \
        FETCHES(NAME, v, after, T_CTX(NAME, atomic_fetch_##OP)(CTX, &box[1], w, pe));                         \
        UPDATES(NAME, v, after, T_OF(NAME, atomic_##OP)(&box[1], w, pe));                                     \
        UPDATES(NAME, v, after, T_CTX(NAME, atomic_##OP)(CTX, &box[1], w, pe));                               \
        LANDS(NAME, v, after, T_OF(NAME, atomic_fetch_##OP##_nbi)(&got, &box[1], w, pe));                     \
        LANDS(NAME, v, after, T_CTX(NAME, atomic_fetch_##OP##_nbi)(CTX, &got, &box[1], w, pe));               \
    } while (0)

#define BITS(NAME, TYPE, KIND)                                                                                \
    static void bits_##NAME(TYPE *box, int pe)                                                                \
    {                                                                                                         \
        TYPE got;                                                                                             \
        T_OF(NAME, p)(&box[0], (TYPE)3, pe);                                                                  \
        T_OF(NAME, p)(&box[2], (TYPE)5, pe);                                                                  \
        QUIET();                                                                                              \
        for (int i = 0; i < T_EDGES; i++)                                                                     \
            for (int j = 0; j < T_EDGES; j++) {                                                               \
                const TYPE v = t_edge_##NAME(i), w = t_edge_##NAME(j);                                        \
                BITWISE(NAME, TYPE, and, &);                                                                  \
                BITWISE(NAME, TYPE, or, |);                                                                   \
                BITWISE(NAME, TYPE, xor, ^);                                                                  \
            }                                                                                                 \
        GUARDED(NAME, TYPE);                                                                                  \
    }                                                                                                         \
    RUN(bits, NAME, TYPE)
T_AMO_BITS(BITS)

#define CALL_EXT(NAME, TYPE, KIND) run_ext_##NAME();
#define CALL_STD(NAME, TYPE, KIND) run_std_##NAME();
#define CALL_BITS(NAME, TYPE, KIND) run_bits_##NAME();

int main(void)
{
    t_init();
    T_AMO_EXT(CALL_EXT)
    T_AMO_STD(CALL_STD)
    T_AMO_BITS(CALL_BITS)
    return t_done();
}
