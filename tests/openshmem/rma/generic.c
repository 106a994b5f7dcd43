/* The C11 generic macros of RMA: every type, with and without a context, const pointers in the reading calls.
 * shmem_{put,get,p,g,iput,iget,ibput,ibget,put_nbi,get_nbi}
 * rules: 7 8 9 10 140 142 144 148 */
#include "check.h"
#include "types.h"

T_GENERIC_RMA(T_DEFINE_EDGE)

#define CTX SHMEM_CTX_DEFAULT
enum { N = 6 };

#define DEFINE(NAME, TYPE, KIND)                                                              \
    static TYPE box_##NAME[N];                                                                \
    static void put_##NAME(const TYPE *v)                                                     \
    {                                                                                         \
        memset(box_##NAME, 0, sizeof box_##NAME);                                             \
        shmem_barrier_all();                                                                  \
        shmem_put(box_##NAME, v, 1, t_right());                                               \
        shmem_put(CTX, box_##NAME + 1, v + 1, 1, t_right());                                  \
        shmem_p(box_##NAME + 2, v[2], t_right());                                             \
        shmem_p(CTX, box_##NAME + 3, v[3], t_right());                                        \
        shmem_put_nbi(box_##NAME + 4, v + 4, 1, t_right());                                   \
        shmem_put_nbi(CTX, box_##NAME + 5, v + 5, 1, t_right());                              \
        shmem_barrier_all();                                                                  \
    }                                                                                         \
    static void iput_##NAME(const TYPE *v)                                                    \
    {                                                                                         \
        memset(box_##NAME, 0, sizeof box_##NAME);                                             \
        shmem_barrier_all();                                                                  \
        shmem_iput(box_##NAME, v, 2, 2, 1, t_right());                                        \
        shmem_iput(CTX, box_##NAME + 1, v + 1, 1, 1, 2, t_right());                           \
        shmem_ibput(box_##NAME + 3, v + 3, 2, 2, 2, 1, t_right());                            \
        shmem_ibput(CTX, box_##NAME + 5, v + 5, 1, 1, 1, 1, t_right());                       \
        shmem_barrier_all();                                                                  \
    }                                                                                         \
    static void check_##NAME(const TYPE *got, int pe)                                         \
    {                                                                                         \
        for (int i = 0; i < N; i++)                                                           \
            CHECK(t_same_##NAME(got[i], t_edge_##NAME(i + pe)));                              \
    }                                                                                         \
    static void test_##NAME(void)                                                             \
    {                                                                                         \
        TYPE v[N], back[N];                                                                   \
        const TYPE *constant = box_##NAME;                                                    \
        t_what = #NAME;                                                                       \
        for (int i = 0; i < N; i++)                                                           \
            v[i] = t_edge_##NAME(i + t_me);                                                   \
        put_##NAME(v);                                                                        \
        check_##NAME(box_##NAME, t_left());                                                   \
        shmem_barrier_all();                                                                  \
        iput_##NAME(v);                                                                       \
        check_##NAME(box_##NAME, t_left());                                                   \
        shmem_get(back, box_##NAME, 1, t_right());                                            \
        shmem_get(CTX, back + 1, constant + 1, 1, t_right());                                 \
        shmem_get_nbi(back + 2, constant + 2, 1, t_right());                                  \
        shmem_get_nbi(CTX, back + 3, box_##NAME + 3, 1, t_right());                           \
        back[4] = shmem_g(constant + 4, t_right());                                           \
        back[5] = shmem_g(CTX, constant + 5, t_right());                                      \
        shmem_quiet();                                                                        \
        check_##NAME(back, t_me);                                                             \
        memset(back, 0, sizeof back);                                                         \
        shmem_iget(back, constant, 1, 1, 1, t_right());                                       \
        shmem_iget(CTX, back + 1, box_##NAME + 1, 1, 1, 1, t_right());                        \
        shmem_ibget(back + 2, constant + 2, 1, 1, 1, 1, t_right());                           \
        shmem_ibget(CTX, back + 3, box_##NAME + 3, 1, 1, 1, 1, t_right());                    \
        back[4] = shmem_g(box_##NAME + 4, t_right());                                         \
        back[5] = shmem_g(CTX, box_##NAME + 5, t_right());                                    \
        check_##NAME(back, t_me);                                                             \
        shmem_barrier_all();                                                                  \
    }
T_GENERIC_RMA(DEFINE)

#define CALL(NAME, TYPE, KIND) test_##NAME();

int main(void)
{
    t_init();
    T_GENERIC_RMA(CALL)
    return t_done();
}
