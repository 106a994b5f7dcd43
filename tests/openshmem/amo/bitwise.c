/* and, or, xor of the bitwise table: all types, all edge masks, fetching, not fetching, nonblocking, with and without
 * a context; heap and statics; neighbouring words untouched.
 * shmem_TYPENAME_atomic_[fetch_]{and,or,xor}[_nbi], shmem_ctx_...
 * rules: 54 151 152 156 158 159 160 */
#include "check.h"
#include "types.h"

T_AMO_BITS(T_DEFINE_EDGE)

#define CTX SHMEM_CTX_DEFAULT

#define START(NAME)                                       \
    got = (__typeof__(got))(v + 1u);                      \
    shmem_##NAME##_atomic_set(&box[1], v, pe);            \
    shmem_quiet()
#define AFTER(NAME, after)                                \
    shmem_quiet();                                        \
    CHECK_EQ(shmem_##NAME##_atomic_fetch(&box[1], pe), after)

#define ONE(NAME, TYPE, OP, C)                                                    \
    do {                                                                          \
        const TYPE after = (TYPE)(v C w);                                         \
        t_what = #NAME " " #OP;                                                   \
        START(NAME);                                                              \
        CHECK_EQ(shmem_##NAME##_atomic_fetch_##OP(&box[1], w, pe), v);            \
        AFTER(NAME, after);                                                       \
        START(NAME);                                                              \
        CHECK_EQ(shmem_ctx_##NAME##_atomic_fetch_##OP(CTX, &box[1], w, pe), v);   \
        AFTER(NAME, after);                                                       \
        START(NAME);                                                              \
        shmem_##NAME##_atomic_##OP(&box[1], w, pe);                               \
        AFTER(NAME, after);                                                       \
        START(NAME);                                                              \
        shmem_ctx_##NAME##_atomic_##OP(CTX, &box[1], w, pe);                      \
        AFTER(NAME, after);                                                       \
        START(NAME);                                                              \
        shmem_##NAME##_atomic_fetch_##OP##_nbi(&got, &box[1], w, pe);             \
        AFTER(NAME, after);                                                       \
        CHECK_EQ(got, v);                                                         \
        START(NAME);                                                              \
        shmem_ctx_##NAME##_atomic_fetch_##OP##_nbi(CTX, &got, &box[1], w, pe);    \
        AFTER(NAME, after);                                                       \
        CHECK_EQ(got, v);                                                         \
    } while (0)

#define DEFINE(NAME, TYPE, KIND)                                                  \
    static TYPE static_##NAME[3];                                                 \
    static void test_##NAME(TYPE *box, int pe)                                    \
    {                                                                             \
        TYPE got;                                                                 \
        shmem_##NAME##_p(&box[0], (TYPE)-1, pe);                                  \
        shmem_##NAME##_p(&box[2], (TYPE)0, pe);                                   \
        for (int i = 0; i < T_EDGES; i++)                                         \
            for (int j = 0; j < T_EDGES; j++) {                                   \
                const TYPE v = t_edge_##NAME(i), w = t_edge_##NAME(j);            \
                ONE(NAME, TYPE, and, &);                                          \
                ONE(NAME, TYPE, or, |);                                           \
                ONE(NAME, TYPE, xor, ^);                                          \
            }                                                                     \
        CHECK_EQ(shmem_##NAME##_g(&box[0], pe), (TYPE)-1);                        \
        CHECK_EQ(shmem_##NAME##_g(&box[2], pe), (TYPE)0);                         \
    }                                                                             \
    static void run_##NAME(void)                                                  \
    {                                                                             \
        TYPE *heap = t_malloc(3 * sizeof(TYPE));                                  \
        test_##NAME(heap, t_right());                                             \
        test_##NAME(static_##NAME, t_right());                                    \
        shmem_barrier_all();                                                      \
        test_##NAME(heap, t_me);                                                  \
        shmem_free(heap);                                                         \
    }
T_AMO_BITS(DEFINE)

#define CALL(NAME, TYPE, KIND) run_##NAME();

int main(void)
{
    t_init();
    T_AMO_BITS(CALL)
    return t_done();
}
