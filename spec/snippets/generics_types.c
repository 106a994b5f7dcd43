/* snippet: c11 c17 */
/* Every type of a table reaches a routine, whether its name is a basic type or an alias of one, with a context and
 * without. That it is the right routine shows in the argument types: with warnings as errors, a pointer to another type
 * is refused, and the result's type is asserted. */
#include <shmem.h>

/* Some compilers call complex types an extension where there is no C library. */
__extension__ typedef double _Complex complexd;
__extension__ typedef float _Complex complexf;

#define RESULT_IS(T, call) _Static_assert(_Generic((call), T : 1, default : 0), "wrong result type: " #call)
/* Without a context and with one. */
#define BOTH(name, ...) name(__VA_ARGS__), name(c, __VA_ARGS__)
#define BOTH_ARE(T, name, ...)                                                                                         \
    RESULT_IS(T, name(__VA_ARGS__));                                                                                   \
    RESULT_IS(T, name(c, __VA_ARGS__))

#define RMA(n, T)                                                                                                      \
    void rma_##n(shmem_ctx_t c, shmem_team_t team, T *x, const T *y, uint64_t *sig)                                    \
    {                                                                                                                  \
        BOTH(shmem_put, x, y, 1, 0);                                                                                   \
        BOTH(shmem_p, x, *y, 0);                                                                                       \
        BOTH(shmem_iput, x, y, 1, 1, 1, 0);                                                                            \
        BOTH(shmem_ibput, x, y, 1, 1, 1, 1, 0);                                                                        \
        BOTH(shmem_get, x, y, 1, 0);                                                                                   \
        *x = shmem_g(y, 0), *x = shmem_g(c, y, 0);                                                                     \
        BOTH(shmem_iget, x, y, 1, 1, 1, 0);                                                                            \
        BOTH(shmem_ibget, x, y, 1, 1, 1, 1, 0);                                                                        \
        BOTH(shmem_put_nbi, x, y, 1, 0);                                                                               \
        BOTH(shmem_get_nbi, x, y, 1, 0);                                                                               \
        shmem_put_signal(x, y, 1, sig, 1, SHMEM_SIGNAL_ADD, 0);                                                        \
        shmem_put_signal(c, x, y, 1, sig, 1, SHMEM_SIGNAL_SET, 0);                                                     \
        shmem_put_signal_nbi(x, y, 1, sig, 1, SHMEM_SIGNAL_ADD, 0);                                                    \
        shmem_put_signal_nbi(c, x, y, 1, sig, 1, SHMEM_SIGNAL_SET, 0);                                                 \
        BOTH_ARE(T, shmem_g, x, 0);                                                                                    \
        RESULT_IS(int, shmem_alltoall(team, x, y, 1));                                                                 \
        RESULT_IS(int, shmem_alltoalls(team, x, y, 1, 1, 1));                                                          \
        RESULT_IS(int, shmem_broadcast(team, x, y, 1, 0));                                                             \
        RESULT_IS(int, shmem_collect(team, x, y, 1));                                                                  \
        RESULT_IS(int, shmem_fcollect(team, x, y, 1));                                                                 \
    }

#define SWAPS(n, T)                                                                                                    \
    void swaps_##n(shmem_ctx_t c, T *x, const T *y)                                                                    \
    {                                                                                                                  \
        BOTH(shmem_atomic_set, x, *y, 0);                                                                              \
        BOTH(shmem_atomic_fetch_nbi, x, y, 0);                                                                         \
        BOTH(shmem_atomic_swap_nbi, x, x, *y, 0);                                                                      \
        BOTH_ARE(T, shmem_atomic_fetch, x, 0);                                                                         \
        BOTH_ARE(T, shmem_atomic_fetch, y, 0);                                                                         \
        BOTH_ARE(T, shmem_atomic_swap, x, *y, 0);                                                                      \
    }

#define ARITHMETIC(n, T)                                                                                               \
    void arithmetic_##n(shmem_ctx_t c, T *x, const T *y)                                                               \
    {                                                                                                                  \
        BOTH(shmem_atomic_inc, x, 0);                                                                                  \
        BOTH(shmem_atomic_add, x, *y, 0);                                                                              \
        BOTH(shmem_atomic_compare_swap_nbi, x, x, *y, *y, 0);                                                          \
        BOTH(shmem_atomic_fetch_inc_nbi, x, x, 0);                                                                     \
        BOTH(shmem_atomic_fetch_add_nbi, x, x, *y, 0);                                                                 \
        BOTH_ARE(T, shmem_atomic_compare_swap, x, *y, *y, 0);                                                          \
        BOTH_ARE(T, shmem_atomic_fetch_inc, x, 0);                                                                     \
        BOTH_ARE(T, shmem_atomic_fetch_add, x, *y, 0);                                                                 \
    }

#define WAITS(n, T)                                                                                                    \
    void waits_##n(T *x, const T *y, size_t *at, const int *skip)                                                      \
    {                                                                                                                  \
        shmem_wait_until_all(x, 1, skip, SHMEM_CMP_EQ, *y);                                                            \
        shmem_wait_until_all_vector(x, 1, skip, SHMEM_CMP_EQ, y);                                                      \
        RESULT_IS(size_t, shmem_wait_until_any(x, 1, skip, SHMEM_CMP_EQ, *y));                                         \
        RESULT_IS(size_t, shmem_wait_until_some(x, 1, at, skip, SHMEM_CMP_EQ, *y));                                    \
        RESULT_IS(size_t, shmem_wait_until_any_vector(x, 1, skip, SHMEM_CMP_EQ, y));                                   \
        RESULT_IS(size_t, shmem_wait_until_some_vector(x, 1, at, skip, SHMEM_CMP_EQ, y));                              \
        RESULT_IS(int, shmem_test_all(x, 1, skip, SHMEM_CMP_EQ, *y));                                                  \
        RESULT_IS(size_t, shmem_test_any(x, 1, skip, SHMEM_CMP_EQ, *y));                                               \
        RESULT_IS(size_t, shmem_test_some(x, 1, at, skip, SHMEM_CMP_EQ, *y));                                          \
        RESULT_IS(int, shmem_test_all_vector(x, 1, skip, SHMEM_CMP_EQ, y));                                            \
        RESULT_IS(size_t, shmem_test_any_vector(x, 1, skip, SHMEM_CMP_EQ, y));                                         \
        RESULT_IS(size_t, shmem_test_some_vector(x, 1, at, skip, SHMEM_CMP_EQ, y));                                    \
    }

#define WAIT_ONE(n, T)                                                                                                 \
    void wait_one_##n(T *x, const T *y)                                                                                \
    {                                                                                                                  \
        shmem_wait_until(x, SHMEM_CMP_GE, *y);                                                                         \
        RESULT_IS(int, shmem_test(x, SHMEM_CMP_GE, *y));                                                               \
    }

#define BITS(n, T)                                                                                                     \
    void bits_##n(shmem_ctx_t c, T *x, const T *y)                                                                     \
    {                                                                                                                  \
        BOTH(shmem_atomic_and, x, *y, 0);                                                                              \
        BOTH(shmem_atomic_or, x, *y, 0);                                                                               \
        BOTH(shmem_atomic_xor, x, *y, 0);                                                                              \
        BOTH(shmem_atomic_fetch_and_nbi, x, x, *y, 0);                                                                 \
        BOTH(shmem_atomic_fetch_or_nbi, x, x, *y, 0);                                                                  \
        BOTH(shmem_atomic_fetch_xor_nbi, x, x, *y, 0);                                                                 \
        BOTH_ARE(T, shmem_atomic_fetch_and, x, *y, 0);                                                                 \
        BOTH_ARE(T, shmem_atomic_fetch_or, x, *y, 0);                                                                  \
        BOTH_ARE(T, shmem_atomic_fetch_xor, x, *y, 0);                                                                 \
    }

#define REDUCE_BITS(n, T)                                                                                              \
    int reduce_bits_##n(shmem_team_t team, T *x, const T *y)                                                           \
    {                                                                                                                  \
        return shmem_and_reduce(team, x, y, 1) | shmem_or_reduce(team, x, y, 1) | shmem_xor_reduce(team, x, y, 1);     \
    }

#define REDUCE_ORDER(n, T)                                                                                             \
    int reduce_order_##n(shmem_team_t team, T *x, const T *y)                                                          \
    {                                                                                                                  \
        return shmem_max_reduce(team, x, y, 1) | shmem_min_reduce(team, x, y, 1);                                      \
    }

#define REDUCE_SUM(n, T)                                                                                               \
    int reduce_sum_##n(shmem_team_t team, T *x, const T *y)                                                            \
    {                                                                                                                  \
        return shmem_sum_reduce(team, x, y, 1) | shmem_prod_reduce(team, x, y, 1) | shmem_sum_inscan(team, x, y, 1)    \
            | shmem_sum_exscan(team, x, y, 1);                                                                         \
    }

#define OLD_SWAPS(n, T)                                                                                                \
    void old_swaps_##n(T *x, const T *y)                                                                               \
    {                                                                                                                  \
        shmem_set(x, *y, 0);                                                                                           \
        RESULT_IS(T, shmem_fetch(y, 0));                                                                               \
        RESULT_IS(T, shmem_fetch(x, 0));                                                                               \
        RESULT_IS(T, shmem_swap(x, *y, 0));                                                                            \
    }

#define OLD_ARITHMETIC(n, T)                                                                                           \
    void old_arithmetic_##n(T *x, const T *y)                                                                          \
    {                                                                                                                  \
        shmem_inc(x, 0), shmem_add(x, *y, 0);                                                                          \
        RESULT_IS(T, shmem_cswap(x, *y, *y, 0));                                                                       \
        RESULT_IS(T, shmem_finc(x, 0));                                                                                \
        RESULT_IS(T, shmem_fadd(x, *y, 0));                                                                            \
    }

#define UNSIGNED(F) F(uint, unsigned int) F(ulong, unsigned long) F(ulonglong, unsigned long long)
#define SIGNED(F) F(int, int) F(long, long) F(longlong, long long)
#define EXACT(F) F(int32, int32_t) F(int64, int64_t) F(uint32, uint32_t) F(uint64, uint64_t)
#define EXACT_SMALL(F) F(int8, int8_t) F(int16, int16_t) F(uint8, uint8_t) F(uint16, uint16_t)
#define DISTANCES(F) F(size, size_t) F(ptrdiff, ptrdiff_t)
#define REALS(F) F(float, float) F(double, double)
#define SHORTS(F) F(short, short) F(ushort, unsigned short)
#define LETTERS(F) F(char, char) F(schar, signed char) F(uchar, unsigned char)
#define STANDARD(F) SIGNED(F) UNSIGNED(F) EXACT(F) DISTANCES(F)
#define ALL(F) STANDARD(F) EXACT_SMALL(F) REALS(F) F(longdouble, long double) SHORTS(F) LETTERS(F)

ALL(RMA)
STANDARD(SWAPS) REALS(SWAPS)
STANDARD(ARITHMETIC)
STANDARD(WAITS) SHORTS(WAITS)
STANDARD(WAIT_ONE) SHORTS(WAIT_ONE)
UNSIGNED(BITS) EXACT(BITS)
UNSIGNED(REDUCE_BITS) EXACT(REDUCE_BITS) EXACT_SMALL(REDUCE_BITS)
REDUCE_BITS(size, size_t) REDUCE_BITS(uchar, unsigned char) REDUCE_BITS(ushort, unsigned short)
ALL(REDUCE_ORDER)
ALL(REDUCE_SUM)
REDUCE_SUM(complexd, complexd) REDUCE_SUM(complexf, complexf)
SIGNED(OLD_SWAPS) REALS(OLD_SWAPS)
SIGNED(OLD_ARITHMETIC)
