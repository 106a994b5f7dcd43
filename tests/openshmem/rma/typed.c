/* put, get, p, g of all 24 types at their edge values: heap, initialised and zero-initialised statics on the remote
 * side, stack, heap and statics on the local side, to the right neighbour and to oneself, with and without a context.
 * shmem_TYPENAME_{put,get,p,g}, shmem_ctx_TYPENAME_{put,get,p,g}
 * rules: 29 30 31 35 36 52 54 138 139 140 141 147 */
#include "check.h"
#include "types.h"

T_RMA(T_DEFINE_EDGE)

/* Every dest has a guard element before and after what is written. */
enum { N = 2 * T_EDGES + 1, ROOM = N + 2 };
#define GUARD(T) ((T)77)

#define DEFINE(NAME, TYPE, KIND)                                                                            \
    static TYPE bss_##NAME[ROOM];                                                                           \
    static TYPE data_##NAME[ROOM] = {GUARD(TYPE), GUARD(TYPE)};                                             \
                                                                                                            \
    static void fill_##NAME(TYPE *a, int pe, int salt)                                                      \
    {                                                                                                       \
        for (int i = 0; i < N; i++)                                                                         \
            a[i] = t_edge_##NAME(i + pe + salt);                                                            \
    }                                                                                                       \
    static void check_##NAME(const TYPE *a, int pe, int salt, const char *where)                            \
    {                                                                                                       \
        for (int i = 0; i < N; i++)                                                                         \
            if (!t_same_##NAME(a[i], t_edge_##NAME(i + pe + salt)))                                         \
                t_fail(__FILE__, __LINE__, "%s: element %d is not what PE %d wrote", where, i, pe);         \
    }                                                                                                       \
    static void reset_##NAME(TYPE *room)                                                                    \
    {                                                                                                       \
        for (int i = 0; i < ROOM; i++)                                                                      \
            room[i] = GUARD(TYPE);                                                                          \
        shmem_barrier_all();                                                                                \
    }                                                                                                       \
    /* What PE `from` put into room on me; then everybody reads it back from `to`. */                       \
    static void arrive_##NAME(TYPE *room, int from, int to, int salt, const char *where)                    \
    {                                                                                                       \
        TYPE back[ROOM];                                                                                    \
        shmem_barrier_all();                                                                                \
        check_##NAME(room + 1, from, salt, where);                                                          \
        CHECK(t_same_##NAME(room[0], GUARD(TYPE)));                                                         \
        CHECK(t_same_##NAME(room[N + 1], GUARD(TYPE)));                                                     \
        for (int ctx = 0; ctx < 2; ctx++) {                                                                 \
            for (int i = 0; i < ROOM; i++)                                                                  \
                back[i] = GUARD(TYPE);                                                                      \
            if (ctx)                                                                                        \
                shmem_ctx_##NAME##_get(SHMEM_CTX_DEFAULT, back + 1, room + 1, N, to);                       \
            else                                                                                            \
                shmem_##NAME##_get(back + 1, room + 1, N, to);                                              \
            check_##NAME(back + 1, t_me, salt, where);                                                      \
            CHECK(t_same_##NAME(back[0], GUARD(TYPE)));                                                     \
            CHECK(t_same_##NAME(back[N + 1], GUARD(TYPE)));                                                 \
        }                                                                                                   \
        for (int i = 0; i < N; i++) {                                                                       \
            TYPE one = i & 1 ? shmem_##NAME##_g(&room[1 + i], to)                                           \
                             : shmem_ctx_##NAME##_g(SHMEM_CTX_DEFAULT, &room[1 + i], to);                   \
            CHECK(t_same_##NAME(one, t_edge_##NAME(i + t_me + salt)));                                      \
        }                                                                                                   \
        shmem_barrier_all();                                                                                \
    }                                                                                                       \
    static void round_##NAME(TYPE *room, const TYPE *source, int to, int from, const char *where)           \
    {                                                                                                       \
        reset_##NAME(room);                                                                                 \
        shmem_##NAME##_put(room + 1, source, N, to);                                                        \
        arrive_##NAME(room, from, to, 0, where);                                                            \
        reset_##NAME(room);                                                                                 \
        shmem_ctx_##NAME##_put(SHMEM_CTX_DEFAULT, room + 1, source, N, to);                                 \
        arrive_##NAME(room, from, to, 0, where);                                                            \
        reset_##NAME(room);                                                                                 \
        for (int i = 0; i < N; i++) {                                                                       \
            TYPE v = t_edge_##NAME(i + t_me + 3);                                                           \
            if (i & 1)                                                                                      \
                shmem_##NAME##_p(&room[1 + i], v, to);                                                      \
            else                                                                                            \
                shmem_ctx_##NAME##_p(SHMEM_CTX_DEFAULT, &room[1 + i], v, to);                               \
        }                                                                                                   \
        arrive_##NAME(room, from, to, 3, where);                                                            \
    }                                                                                                       \
    static void test_##NAME(void)                                                                           \
    {                                                                                                       \
        static TYPE local_static[N];                                                                        \
        TYPE local_stack[N];                                                                                \
        TYPE *heap = t_malloc(ROOM * sizeof(TYPE)), *local_heap = t_malloc(N * sizeof(TYPE));               \
        t_what = #NAME;                                                                                     \
        fill_##NAME(local_static, t_me, 0);                                                                 \
        fill_##NAME(local_stack, t_me, 0);                                                                  \
        fill_##NAME(local_heap, t_me, 0);                                                                   \
        round_##NAME(heap, local_stack, t_right(), t_left(), "stack to heap");                              \
        round_##NAME(bss_##NAME, local_heap, t_right(), t_left(), "heap to zeroed static");                 \
        round_##NAME(data_##NAME, local_static, t_right(), t_left(), "static to initialised static");       \
        round_##NAME(heap, local_static, t_me, t_me, "static to own heap");                                 \
        round_##NAME(bss_##NAME, local_heap, t_me, t_me, "heap to own static");                             \
        shmem_free(local_heap);                                                                             \
        shmem_free(heap);                                                                                   \
    }
T_RMA(DEFINE)

#define CALL(NAME, TYPE, KIND) test_##NAME();

int main(void)
{
    t_init();
    T_RMA(CALL)
    return t_done();
}
