/* put, get, p, g and nonblocking put and get of all 24 types at their edge values: heap, initialised and
 * zero-initialised statics on the remote side, stack, heap and statics on the local side, to the right neighbour and to
 * oneself, with and without a context; with -DGENERIC by the macros of C11. Nonblocking ones are complete after quiet,
 * after barrier_all and after pe_quiet of the target.
 * shmem_TYPENAME_{put,get}[_nbi], shmem_TYPENAME_{p,g}, shmem_ctx_..., shmem_pe_quiet
 * rules: 7 8 9 10 29 30 31 35 36 52 54 138 139 140 141 147 148 195 247 251 */
#include "check.h"
#include "types.h"

T_RMA(T_DEFINE_EDGE)

/* Every dest has a guard element before and after what is written. */
enum { N = 2 * T_EDGES + 1, ROOM = N + 2 };
#define GUARD(T) ((T)77)

/* Completes what is outstanding to `pe`, each way in its turn. */
static void complete(int way, int pe)
{
    int list[2] = {pe, pe};
    switch (way) {
    case 0: shmem_quiet(); break;
    case 1: shmem_ctx_quiet(SHMEM_CTX_DEFAULT); break;
    case 2: shmem_pe_quiet(list, 2); break;
    case 3: shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, list, 1); break;
    default: shmem_barrier_all(); break;
    }
}
enum { WAYS = 5 };

#define DEFINE(NAME, TYPE, KIND)                                                                                      \
    static TYPE bss_##NAME[ROOM];                                                                                     \
    static TYPE data_##NAME[ROOM] = {GUARD(TYPE), GUARD(TYPE)};                                                       \
                                                                                                                      \
    static void fill_##NAME(TYPE *a, int pe, int salt)                                                                \
    {                                                                                                                 \
        for (int i = 0; i < N; i++)                                                                                   \
            a[i] = t_edge_##NAME(i + pe + salt);                                                                      \
    }                                                                                                                 \
    static void check_##NAME(const TYPE *a, int pe, int salt, const char *where)                                      \
    {                                                                                                                 \
        for (int i = 0; i < N; i++)                                                                                   \
            if (!t_same_##NAME(a[i], t_edge_##NAME(i + pe + salt)))                                                   \
                t_fail(__FILE__, __LINE__, "%s: element %d is not what PE %d wrote", where, i, pe);                   \
    }                                                                                                                 \
    static void reset_##NAME(TYPE *room)                                                                              \
    {                                                                                                                 \
        for (int i = 0; i < ROOM; i++)                                                                                \
            room[i] = GUARD(TYPE);                                                                                    \
        shmem_barrier_all();                                                                                          \
    }                                                                                                                 \
    /* What PE `from` put into room on me; then everybody reads it back from `to`. */                                 \
    static void arrive_##NAME(TYPE *room, int from, int to, int salt, const char *where)                              \
    {                                                                                                                 \
        TYPE back[ROOM]; const TYPE *there = room + 1;                                                                \
        shmem_barrier_all();                                                                                          \
        check_##NAME(room + 1, from, salt, where);                                                                    \
        CHECK(t_same_##NAME(room[0], GUARD(TYPE)));                                                                   \
        CHECK(t_same_##NAME(room[N + 1], GUARD(TYPE)));                                                               \
        for (int ctx = 0; ctx < 2; ctx++) {                                                                           \
            for (int i = 0; i < ROOM; i++)                                                                            \
                back[i] = GUARD(TYPE);                                                                                \
            if (ctx)                                                                                                  \
                T_CTX(NAME, get)(SHMEM_CTX_DEFAULT, back + 1, there, N, to);                                          \
            else                                                                                                      \
                T_OF(NAME, get)(back + 1, there, N, to);                                                              \
            check_##NAME(back + 1, t_me, salt, where);                                                                \
            CHECK(t_same_##NAME(back[0], GUARD(TYPE)));                                                               \
            CHECK(t_same_##NAME(back[N + 1], GUARD(TYPE)));                                                           \
        }                                                                                                             \
        for (int i = 0; i < N; i++) {                                                                                 \
            TYPE one = i & 1 ? T_OF(NAME, g)(there + i, to)                                                           \
                             : T_CTX(NAME, g)(SHMEM_CTX_DEFAULT, there + i, to);                                      \
            CHECK(t_same_##NAME(one, t_edge_##NAME(i + t_me + salt)));                                                \
        }                                                                                                             \
        shmem_barrier_all();                                                                                          \
    }                                                                                                                 \
    static void round_##NAME(TYPE *room, const TYPE *source, int to, int from, const char *where)                     \
    {                                                                                                                 \
        reset_##NAME(room);                                                                                           \
        T_OF(NAME, put)(room + 1, source, N, to);                                                                     \
        arrive_##NAME(room, from, to, 0, where);                                                                      \
        reset_##NAME(room);                                                                                           \
        T_CTX(NAME, put)(SHMEM_CTX_DEFAULT, room + 1, source, N, to);                                                 \
        arrive_##NAME(room, from, to, 0, where);                                                                      \
        reset_##NAME(room);                                                                                           \
        for (int i = 0; i < N; i++) {                                                                                 \
            TYPE v = t_edge_##NAME(i + t_me + 3);                                                                     \
            if (i & 1)                                                                                                \
                T_OF(NAME, p)(&room[1 + i], v, to);                                                                   \
            else                                                                                                      \
                T_CTX(NAME, p)(SHMEM_CTX_DEFAULT, &room[1 + i], v, to);                                               \
        }                                                                                                             \
        arrive_##NAME(room, from, to, 3, where);                                                                      \
    }                                                                                                                 \
    static void nbi_##NAME(TYPE *room, int to, int from, int way)                                                     \
    {                                                                                                                 \
        TYPE mine[N], back[ROOM], inner[N];                                                                           \
        for (int i = 0; i < ROOM; i++)                                                                                \
            room[i] = back[i] = GUARD(TYPE);                                                                          \
        for (int i = 0; i < N; i++)                                                                                   \
            mine[i] = t_edge_##NAME(i + t_me + way + i / T_EDGES);                                                    \
        shmem_barrier_all();                                                                                          \
        T_OF(NAME, put_nbi)(room + 1, mine, N / 2, to);                                                               \
        T_CTX(NAME, put_nbi)(SHMEM_CTX_DEFAULT, room + 1 + N / 2, mine + N / 2, N - N / 2, to);                       \
        complete(way, to);                                                                                            \
        /* Complete means: a get finds it, and the source may change. */                                              \
        T_OF(NAME, get)(inner, room + 1, N, to);                                                                      \
        for (int i = 0; i < N; i++)                                                                                   \
            CHECK(t_same_##NAME(inner[i], mine[i]));                                                                  \
        memset(mine, 0, sizeof mine);                                                                                 \
        shmem_barrier_all();                                                                                          \
        for (int i = 0; i < N; i++)                                                                                   \
            CHECK(t_same_##NAME(room[1 + i], t_edge_##NAME(i + from + way + i / T_EDGES)));                           \
        CHECK(t_same_##NAME(room[0], GUARD(TYPE)));                                                                   \
        CHECK(t_same_##NAME(room[N + 1], GUARD(TYPE)));                                                               \
        T_OF(NAME, get_nbi)(back + 1, (const TYPE *)room + 1, N / 3, to);                                             \
        T_CTX(NAME, get_nbi)(SHMEM_CTX_DEFAULT, back + 1 + N / 3, (const TYPE *)room + 1 + N / 3, N - N / 3, to);     \
        complete(way, to);                                                                                            \
        for (int i = 0; i < N; i++)                                                                                   \
            CHECK(t_same_##NAME(back[1 + i], t_edge_##NAME(i + t_me + way + i / T_EDGES)));                           \
        CHECK(t_same_##NAME(back[0], GUARD(TYPE)));                                                                   \
        CHECK(t_same_##NAME(back[N + 1], GUARD(TYPE)));                                                               \
        shmem_barrier_all();                                                                                          \
    }                                                                                                                 \
    static void test_##NAME(void)                                                                                     \
    {                                                                                                                 \
        static TYPE local_static[N];                                                                                  \
        TYPE local_stack[N];                                                                                          \
        TYPE *heap = t_malloc(ROOM * sizeof(TYPE)), *local_heap = t_malloc(N * sizeof(TYPE));                         \
        t_what = #NAME;                                                                                               \
        fill_##NAME(local_static, t_me, 0);                                                                           \
        fill_##NAME(local_stack, t_me, 0);                                                                            \
        fill_##NAME(local_heap, t_me, 0);                                                                             \
        round_##NAME(heap, local_stack, t_right(), t_left(), "stack to heap");                                        \
        round_##NAME(bss_##NAME, local_heap, t_right(), t_left(), "heap to zeroed static");                           \
        round_##NAME(data_##NAME, local_static, t_right(), t_left(), "static to initialised static");                 \
        round_##NAME(heap, local_static, t_me, t_me, "static to own heap");                                           \
        round_##NAME(bss_##NAME, local_heap, t_me, t_me, "heap to own static");                                       \
        for (int way = 0; way < WAYS; way++) {                                                                        \
            nbi_##NAME(heap, t_right(), t_left(), way);                                                               \
            nbi_##NAME(bss_##NAME, t_right(), t_left(), way);                                                         \
        }                                                                                                             \
        nbi_##NAME(bss_##NAME, t_me, t_me, 0);                                                                        \
        shmem_free(local_heap);                                                                                       \
        shmem_free(heap);                                                                                             \
    }
T_RMA(DEFINE)

#define CALL(NAME, TYPE, KIND) test_##NAME();

int main(void)
{
    t_init();
    T_RMA(CALL)
    return t_done();
}
