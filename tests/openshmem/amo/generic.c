/* The C11 generic macros of the AMOs, with and without a context; int and long reach the bitwise calls through their
 * exact-width names; the reading calls accept const pointers.
 * shmem_atomic_* and shmem_atomic_*_nbi
 * rules: 7 8 9 10 156 158 159 */
#include "check.h"
#include "types.h"

T_AMO_EXT(T_DEFINE_EDGE)

#define CTX SHMEM_CTX_DEFAULT
/* A call whose effect is there when the next one begins. */
#define DONE(call) (call, shmem_quiet())
/* A nonblocking call that gives `old`. */
#define LANDS(old, call)            \
    do {                            \
        DONE(call);                 \
        CHECK(got == (old));        \
    } while (0)

#define EXT(NAME, TYPE, KIND)                                         \
    static TYPE box_##NAME;                                           \
    static void ext_##NAME(int pe)                                    \
    {                                                                 \
        TYPE *box = &box_##NAME, got = 0;                             \
        const TYPE *constant = box;                                   \
        t_what = #NAME;                                               \
        DONE(shmem_atomic_set(box, (TYPE)1, pe));                     \
        CHECK(shmem_atomic_fetch(constant, pe) == 1);                 \
        DONE(shmem_atomic_set(CTX, box, (TYPE)2, pe));                \
        CHECK(shmem_atomic_fetch(CTX, constant, pe) == 2);            \
        CHECK(shmem_atomic_fetch(CTX, box, pe) == 2);                 \
        CHECK(shmem_atomic_swap(box, (TYPE)3, pe) == 2);              \
        CHECK(shmem_atomic_swap(CTX, box, (TYPE)4, pe) == 3);         \
        LANDS(4, shmem_atomic_fetch_nbi(&got, constant, pe));         \
        LANDS(4, shmem_atomic_swap_nbi(&got, box, (TYPE)5, pe));      \
        LANDS(5, shmem_atomic_swap_nbi(CTX, &got, box, (TYPE)6, pe)); \
        LANDS(6, shmem_atomic_fetch_nbi(CTX, &got, box, pe));         \
    }
EXT(float, float, FLOAT)
EXT(double, double, DOUBLE)
T_GENERIC_AMO(EXT)

#define STD(NAME, TYPE, KIND)                                                             \
    static void std_##NAME(int pe)                                                        \
    {                                                                                     \
        TYPE *box = &box_##NAME, got = 0;                                                 \
        t_what = #NAME;                                                                   \
        DONE(shmem_atomic_set(box, (TYPE)10, pe));                                        \
        CHECK_EQ(shmem_atomic_fetch_inc(box, pe), 10);                                    \
        CHECK_EQ(shmem_atomic_fetch_inc(CTX, box, pe), 11);                               \
        shmem_atomic_inc(box, pe);                                                        \
        DONE(shmem_atomic_inc(CTX, box, pe));                                             \
        CHECK_EQ(shmem_atomic_fetch_add(box, (TYPE)6, pe), 14);                           \
        CHECK_EQ(shmem_atomic_fetch_add(CTX, box, (TYPE)-1, pe), 20);                     \
        shmem_atomic_add(box, (TYPE)1, pe);                                               \
        DONE(shmem_atomic_add(CTX, box, (TYPE)10, pe));                                   \
        CHECK_EQ(shmem_atomic_compare_swap(box, (TYPE)30, (TYPE)7, pe), 30);              \
        CHECK_EQ(shmem_atomic_compare_swap(CTX, box, (TYPE)30, (TYPE)8, pe), 7);          \
        LANDS(7, shmem_atomic_fetch_inc_nbi(&got, box, pe));                              \
        LANDS(8, shmem_atomic_fetch_inc_nbi(CTX, &got, box, pe));                         \
        LANDS(9, shmem_atomic_fetch_add_nbi(&got, box, (TYPE)11, pe));                    \
        LANDS(20, shmem_atomic_fetch_add_nbi(CTX, &got, box, (TYPE)20, pe));              \
        LANDS(40, shmem_atomic_compare_swap_nbi(&got, box, (TYPE)40, (TYPE)41, pe));      \
        LANDS(41, shmem_atomic_compare_swap_nbi(CTX, &got, box, (TYPE)40, (TYPE)42, pe)); \
        CHECK_EQ(shmem_atomic_fetch(box, pe), 41);                                        \
    }
T_GENERIC_AMO(STD)

#define BITS(NAME, TYPE, KIND)                                                \
    static void bits_##NAME(int pe)                                           \
    {                                                                         \
        TYPE *box = &box_##NAME, got = 0;                                     \
        t_what = #NAME;                                                       \
        DONE(shmem_atomic_set(box, (TYPE)0x0f, pe));                          \
        CHECK_EQ(shmem_atomic_fetch_and(box, (TYPE)0x3c, pe), 0x0f);          \
        CHECK_EQ(shmem_atomic_fetch_or(CTX, box, (TYPE)0x41, pe), 0x0c);      \
        CHECK_EQ(shmem_atomic_fetch_xor(box, (TYPE)0x44, pe), 0x4d);          \
        CHECK_EQ(shmem_atomic_fetch_and(CTX, box, (TYPE)8, pe), 0x09);        \
        CHECK_EQ(shmem_atomic_fetch_or(box, (TYPE)3, pe), 8);                 \
        CHECK_EQ(shmem_atomic_fetch_xor(CTX, box, (TYPE)1, pe), 0x0b);        \
        DONE(shmem_atomic_and(box, (TYPE)0x0a, pe));                          \
        DONE(shmem_atomic_or(CTX, box, (TYPE)0x70, pe));                      \
        DONE(shmem_atomic_xor(box, (TYPE)0x0a, pe));                          \
        DONE(shmem_atomic_and(CTX, box, (TYPE)0x3f, pe));                     \
        DONE(shmem_atomic_or(box, (TYPE)1, pe));                              \
        DONE(shmem_atomic_xor(CTX, box, (TYPE)0x11, pe));                     \
        LANDS(0x20, shmem_atomic_fetch_and_nbi(&got, box, (TYPE)0x2f, pe));   \
        LANDS(0x20, shmem_atomic_fetch_or_nbi(CTX, &got, box, (TYPE)2, pe));  \
        LANDS(0x22, shmem_atomic_fetch_xor_nbi(&got, box, (TYPE)3, pe));      \
        LANDS(0x21, shmem_atomic_fetch_and_nbi(CTX, &got, box, (TYPE)1, pe)); \
        LANDS(1, shmem_atomic_fetch_or_nbi(&got, box, (TYPE)4, pe));          \
        LANDS(5, shmem_atomic_fetch_xor_nbi(CTX, &got, box, (TYPE)5, pe));    \
        CHECK_EQ(shmem_atomic_fetch(box, pe), 0);                             \
    }
T_GENERIC_BITS(BITS)

#define CALL_EXT(NAME, TYPE, KIND) ext_##NAME(pe);
#define CALL_STD(NAME, TYPE, KIND) std_##NAME(pe);
#define CALL_BITS(NAME, TYPE, KIND) bits_##NAME(pe);

int main(void)
{
    t_init();
    for (int i = 0; i < 2; i++) {
        int pe = i ? t_me : t_right();
        ext_float(pe), ext_double(pe);
        T_GENERIC_AMO(CALL_EXT)
        T_GENERIC_AMO(CALL_STD)
        T_GENERIC_BITS(CALL_BITS)
        shmem_barrier_all();
    }
    return t_done();
}
