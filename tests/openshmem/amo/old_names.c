/* The deprecated names do what the new ones do, on the same word and mixed with them.
 * shmem_TYPENAME_{fetch,set,swap,cswap,finc,inc,fadd,add} and their generic macros
 * rules: 161 39 153 154 */
#include "check.h"
#include "types.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

T_AMO_OLD_EXT(T_DEFINE_EDGE)

#define EXT(NAME, TYPE, KIND)                                                       \
    static TYPE box_##NAME;                                                         \
    static void ext_##NAME(int pe)                                                  \
    {                                                                               \
        t_what = #NAME;                                                             \
        for (int i = 0; i < T_EDGES; i++) {                                         \
            TYPE v = t_edge_##NAME(i), w = t_edge_##NAME(i + 1);                    \
            shmem_##NAME##_set(&box_##NAME, v, pe);                                 \
            shmem_quiet();                                                          \
            CHECK(t_same_##NAME(shmem_##NAME##_fetch(&box_##NAME, pe), v));         \
            CHECK(t_same_##NAME(shmem_##NAME##_atomic_fetch(&box_##NAME, pe), v));  \
            CHECK(t_same_##NAME(shmem_##NAME##_swap(&box_##NAME, w, pe), v));       \
            CHECK(t_same_##NAME(shmem_fetch(&box_##NAME, pe), w));                  \
            CHECK(t_same_##NAME(shmem_swap(&box_##NAME, v, pe), w));                \
            shmem_set(&box_##NAME, w, pe);                                          \
            shmem_quiet();                                                          \
            CHECK(t_same_##NAME(shmem_##NAME##_fetch(&box_##NAME, pe), w));         \
        }                                                                           \
    }
T_AMO_OLD_EXT(EXT)

#define STD(NAME, TYPE, KIND)                                                       \
    static void std_##NAME(int pe)                                                  \
    {                                                                               \
        TYPE *box = &box_##NAME;                                                    \
        t_what = #NAME;                                                             \
        for (int i = 0; i < T_EDGES; i++) {                                         \
            const TYPE v = t_edge_##NAME(i), w = t_edge_##NAME(i + 3);              \
            TYPE now = v;                                                           \
            shmem_##NAME##_set(box, v, pe);                                         \
            shmem_quiet();                                                          \
            CHECK_EQ(shmem_##NAME##_finc(box, pe), now);                            \
            now = (TYPE)((uint64_t)now + 1);                                        \
            shmem_##NAME##_inc(box, pe);                                            \
            now = (TYPE)((uint64_t)now + 1);                                        \
            shmem_quiet();                                                          \
            CHECK_EQ(shmem_##NAME##_fadd(box, w, pe), now);                         \
            now = (TYPE)((uint64_t)now + (uint64_t)w);                              \
            shmem_##NAME##_add(box, w, pe);                                         \
            now = (TYPE)((uint64_t)now + (uint64_t)w);                              \
            shmem_quiet();                                                          \
            CHECK_EQ(shmem_##NAME##_cswap(box, (TYPE)(now ^ 1), 5, pe), now);       \
            CHECK_EQ(shmem_##NAME##_cswap(box, now, 5, pe), now);                   \
            CHECK_EQ(shmem_finc(box, pe), 5);                                       \
            shmem_inc(box, pe);                                                     \
            shmem_quiet();                                                          \
            CHECK_EQ(shmem_fadd(box, 10, pe), 7);                                   \
            shmem_add(box, -1, pe);                                                 \
            shmem_quiet();                                                          \
            CHECK_EQ(shmem_cswap(box, 16, -2, pe), 16);                             \
            CHECK_EQ(shmem_##NAME##_atomic_fetch(box, pe), -2);                     \
        }                                                                           \
    }
T_AMO_OLD(STD)

#define CALL_EXT(NAME, TYPE, KIND) ext_##NAME(pe);
#define CALL_STD(NAME, TYPE, KIND) std_##NAME(pe);

int main(void)
{
    t_init();
    for (int i = 0; i < 2; i++) {
        int pe = i ? t_me : t_right();
        T_AMO_OLD_EXT(CALL_EXT)
        T_AMO_OLD(CALL_STD)
        shmem_barrier_all();
    }
    return t_done();
}
