/* Nonblocking put and get of all types: complete after quiet, after barrier_all and after pe_quiet of the target;
 * heap and statics, right neighbour and self, with and without a context.
 * shmem_TYPENAME_{put,get}_nbi, shmem_ctx_TYPENAME_{put,get}_nbi, shmem_pe_quiet
 * rules: 148 195 247 251 54 36 */
#include "check.h"
#include "types.h"

T_RMA(T_DEFINE_EDGE)

enum { N = 3 * T_EDGES, ROOM = N + 2 };
#define CTX SHMEM_CTX_DEFAULT

/* Completes what is outstanding to `pe`, each way in its turn. */
static void complete(int way, int pe)
{
    int list[2] = {pe, pe};
    switch (way) {
    case 0: shmem_quiet(); break;
    case 1: shmem_ctx_quiet(CTX); break;
    case 2: shmem_pe_quiet(list, 2); break;
    case 3: shmem_ctx_pe_quiet(CTX, list, 1); break;
    default: shmem_barrier_all(); break;
    }
}
enum { WAYS = 5 };

#define DEFINE(NAME, TYPE, KIND)                                                                              \
    static TYPE static_##NAME[ROOM];                                                                          \
    static void round_##NAME(TYPE *room, int to, int from, int way)                                           \
    {                                                                                                         \
        TYPE mine[N], back[ROOM], inner[N];                                                                   \
        for (int i = 0; i < ROOM; i++)                                                                        \
            room[i] = back[i] = (TYPE)99;                                                                     \
        for (int i = 0; i < N; i++)                                                                           \
            mine[i] = t_edge_##NAME(i + t_me + way + i / T_EDGES);                                            \
        shmem_barrier_all();                                                                                  \
        shmem_##NAME##_put_nbi(room + 1, mine, N / 2, to);                                                    \
        shmem_ctx_##NAME##_put_nbi(CTX, room + 1 + N / 2, mine + N / 2, N - N / 2, to);                       \
        complete(way, to);                                                                                    \
        /* Complete means: a get finds it, and the source may change. */                                      \
        shmem_##NAME##_get(inner, room + 1, N, to);                                                           \
        for (int i = 0; i < N; i++)                                                                           \
            CHECK(t_same_##NAME(inner[i], mine[i]));                                                          \
        memset(mine, 0, sizeof mine);                                                                         \
        shmem_barrier_all();                                                                                  \
        for (int i = 0; i < N; i++)                                                                           \
            CHECK(t_same_##NAME(room[1 + i], t_edge_##NAME(i + from + way + i / T_EDGES)));                   \
        CHECK(t_same_##NAME(room[0], (TYPE)99));                                                              \
        CHECK(t_same_##NAME(room[N + 1], (TYPE)99));                                                          \
        shmem_##NAME##_get_nbi(back + 1, room + 1, N / 3, to);                                                \
        shmem_ctx_##NAME##_get_nbi(CTX, back + 1 + N / 3, room + 1 + N / 3, N - N / 3, to);                   \
        complete(way, to);                                                                                    \
        for (int i = 0; i < N; i++)                                                                           \
            CHECK(t_same_##NAME(back[1 + i], t_edge_##NAME(i + t_me + way + i / T_EDGES)));                   \
        CHECK(t_same_##NAME(back[0], (TYPE)99));                                                              \
        CHECK(t_same_##NAME(back[N + 1], (TYPE)99));                                                          \
        shmem_barrier_all();                                                                                  \
    }                                                                                                         \
    static void test_##NAME(void)                                                                             \
    {                                                                                                         \
        TYPE *heap = t_malloc(ROOM * sizeof(TYPE));                                                           \
        t_what = #NAME;                                                                                       \
        for (int way = 0; way < WAYS; way++) {                                                                \
            round_##NAME(heap, t_right(), t_left(), way);                                                     \
            round_##NAME(static_##NAME, t_right(), t_left(), way);                                            \
        }                                                                                                     \
        round_##NAME(static_##NAME, t_me, t_me, 0);                                                           \
        shmem_free(heap);                                                                                     \
    }
T_RMA(DEFINE)

#define CALL(NAME, TYPE, KIND) test_##NAME();

int main(void)
{
    t_init();
    T_RMA(CALL)
    return t_done();
}
