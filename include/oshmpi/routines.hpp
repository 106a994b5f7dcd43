/* routines.hpp: part of shmem.hpp: which C routine serves which type. Include shmem.hpp instead. */
#ifndef OSHMPI_ROUTINES_HPP
#define OSHMPI_ROUTINES_HPP

#include <shmemx.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/* The types of each family, each C type once: X(C type, name in the routine). */
#define OSHMPI_AMO_TYPES(X)                                                                                     \
    X(int, int) X(long, long) X(long long, longlong) X(unsigned int, uint) X(unsigned long, ulong)              \
    X(unsigned long long, ulonglong)
#define OSHMPI_REAL_TYPES(X)                                                                                    \
    OSHMPI_AMO_TYPES(X) X(float, float) X(double, double) X(long double, longdouble) X(char, char)              \
    X(signed char, schar) X(short, short) X(unsigned char, uchar) X(unsigned short, ushort)

/* A list in brackets, which a macro takes as one, without them. */
#define OSHMPI_LIST(...) __VA_ARGS__

namespace shmem {
namespace detail {

template <typename T> struct is_complex : std::false_type {};
template <typename T> struct is_complex<std::complex<T>> : std::true_type {};

/* What may be moved byte by byte. The standard does not promise it of std::complex, but its layout as two numbers. */
template <typename T>
inline constexpr bool movable = (std::is_trivially_copyable_v<T> || is_complex<T>::value) && !std::is_const_v<T>;

/* A second parameter that takes no part in deduction: put(double *, value 1, pe) works. */
template <typename T> struct same { using type = T; };
template <typename T> using same_t = typename same<T>::type;

/* Unsigned integers by width. */
template <std::size_t N> struct word;
template <> struct word<1> { using type = std::uint8_t; static constexpr auto alltoalls = shmem_uint8_alltoalls; };
template <> struct word<2> { using type = std::uint16_t; static constexpr auto alltoalls = shmem_uint16_alltoalls; };
template <> struct word<4> { using type = std::uint32_t; static constexpr auto alltoalls = shmem_uint32_alltoalls; };
template <> struct word<8> { using type = std::uint64_t; static constexpr auto alltoalls = shmem_uint64_alltoalls; };
/* As wide as T is aligned, 8 bytes at most: what T can be moved in without breaking an alignment rule. */
template <typename T> using word_of = word<(alignof(T) < 8 ? alignof(T) : 8)>;

/* The unsigned integer as wide as T, and the same memory as such. */
template <typename T> using word_t = typename word<sizeof(T)>::type;
template <typename T> word_t<T> *words(T *at) { return reinterpret_cast<word_t<T> *>(at); }
/* T where it is an integer; as same_t it takes no part in deduction. */
template <typename T> using integer_t = std::enable_if_t<std::is_integral_v<T>, T>;

/* Room for a T whose bytes come from elsewhere: T may have no default constructor. */
template <typename T> union room {
    char none;
    T value;
    room() : none() {}
};

/* The C routines for a type. This one is for types that have none of their own: plain memory. */
template <typename T> struct rma {
    static_assert(movable<T>, "only trivially copyable types can be moved");
    static constexpr std::ptrdiff_t size = sizeof(T);

    /* op(params) by a routine for plain memory, and ctx_op. Parameters and arguments are in brackets. */
#define OSHMPI_PLAIN(op, params, routine, args)                                                                 \
    static void op(OSHMPI_LIST params) { shmem_##routine(OSHMPI_LIST args); }                                   \
    static void ctx_##op(shmem_ctx_t c, OSHMPI_LIST params) { shmem_ctx_##routine(c, OSHMPI_LIST args); }
#define OSHMPI_PLAIN_MOVE(op, routine)                                                                          \
    OSHMPI_PLAIN(op, (T *d, const T *s, std::size_t n, int pe), routine, (d, s, n * sizeof(T), pe))
    OSHMPI_PLAIN_MOVE(put, putmem)
    OSHMPI_PLAIN_MOVE(get, getmem)
    OSHMPI_PLAIN_MOVE(put_nbi, putmem_nbi)
    OSHMPI_PLAIN_MOVE(get_nbi, getmem_nbi)
    OSHMPI_PLAIN(p, (T *d, T v, int pe), putmem, (d, &v, sizeof(T), pe))
    static T g(const T *s, int pe)
    {
        room<T> v;
        shmem_getmem(&v, s, sizeof(T), pe);
        return v.value;
    }
    static T ctx_g(shmem_ctx_t c, const T *s, int pe)
    {
        room<T> v;
        shmem_ctx_getmem(c, &v, s, sizeof(T), pe);
        return v.value;
    }
#define OSHMPI_PLAIN_STRIDED(op, block_op)                                                                         \
    OSHMPI_PLAIN(op, (T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe),            \
                 block_op##8, (d, s, dst * size, sst * size, sizeof(T), n, pe))                                    \
    OSHMPI_PLAIN(block_op,                                                                                         \
                 (T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t b, std::size_t n, int pe), \
                 block_op##8, (d, s, dst * size, sst * size, b * sizeof(T), n, pe))
    OSHMPI_PLAIN_STRIDED(iput, ibput)
    OSHMPI_PLAIN_STRIDED(iget, ibget)
#define OSHMPI_PLAIN_SIGNAL(op, routine)                                                                        \
    OSHMPI_PLAIN(op, (T *d, const T *s, std::size_t n, std::uint64_t *sig, std::uint64_t v, int how, int pe),   \
                 routine, (d, s, n * sizeof(T), sig, v, how, pe))
    OSHMPI_PLAIN_SIGNAL(put_signal, putmem_signal)
    OSHMPI_PLAIN_SIGNAL(put_signal_nbi, putmem_signal_nbi)
    static int broadcast(shmem_team_t t, T *d, const T *s, std::size_t n, int root)
    {
        return shmem_broadcastmem(t, d, s, n * sizeof(T), root);
    }
    static int broadcast_nb(shmem_team_t t, T *d, const T *s, std::size_t n, int root, shmemx_req_t *r)
    {
        return shmemx_broadcastmem_nb(t, d, s, n * sizeof(T), root, r);
    }
#define OSHMPI_PLAIN_COLL(op)                                                                                   \
    static int op(shmem_team_t t, T *d, const T *s, std::size_t n) { return shmem_##op##mem(t, d, s, n * sizeof(T)); } \
    static int op##_nb(shmem_team_t t, T *d, const T *s, std::size_t n, shmemx_req_t *r)                        \
    {                                                                                                           \
        return shmemx_##op##mem_nb(t, d, s, n * sizeof(T), r);                                                  \
    }
    OSHMPI_PLAIN_COLL(collect)
    OSHMPI_PLAIN_COLL(fcollect)
    OSHMPI_PLAIN_COLL(alltoall)
    /* A call for each word of the type: real parts, then imaginary parts. */
    static int alltoalls(shmem_team_t t, T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n)
    {
        using W = typename word_of<T>::type;
        constexpr std::ptrdiff_t words = sizeof(T) / sizeof(W);
        int failed = 0;
        for (std::ptrdiff_t i = 0; i < words; i++)
            failed |= word_of<T>::alltoalls(t, reinterpret_cast<W *>(d) + i, reinterpret_cast<const W *>(s) + i,
                                            dst * words, sst * words, n);
        return failed;
    }
};

/* Both forms of a routine as constants: a call of one is a direct call of the C function. */
#define OSHMPI_BOTH(name, op)                                                                                   \
    static constexpr auto op = shmem_##name##_##op;                                                             \
    static constexpr auto ctx_##op = shmem_ctx_##name##_##op;
#define OSHMPI_ONE(name, op) static constexpr auto op = shmem_##name##_##op;
/* A collective, and the one that is started. */
#define OSHMPI_START(name, op)                                                                                  \
    OSHMPI_ONE(name, op)                                                                                        \
    static constexpr auto op##_nb = shmemx_##name##_##op##_nb;
#define OSHMPI_RMA(T, name)                                                                                     \
    template <> struct rma<T> {                                                                                 \
        OSHMPI_BOTH(name, put) OSHMPI_BOTH(name, get) OSHMPI_BOTH(name, put_nbi) OSHMPI_BOTH(name, get_nbi)     \
        OSHMPI_BOTH(name, p) OSHMPI_BOTH(name, g) OSHMPI_BOTH(name, iput) OSHMPI_BOTH(name, iget)               \
        OSHMPI_BOTH(name, ibput) OSHMPI_BOTH(name, ibget) OSHMPI_BOTH(name, put_signal)                         \
        OSHMPI_BOTH(name, put_signal_nbi) OSHMPI_START(name, broadcast) OSHMPI_START(name, collect)             \
        OSHMPI_START(name, fcollect) OSHMPI_START(name, alltoall) OSHMPI_ONE(name, alltoalls)                   \
    };
OSHMPI_REAL_TYPES(OSHMPI_RMA)

/* Atomic operations, waits and tests. Types that are not listed have none. */
template <typename T> struct amo;
#define OSHMPI_AMO_EXTENDED(name)                                                                               \
    OSHMPI_BOTH(name, atomic_fetch) OSHMPI_BOTH(name, atomic_set) OSHMPI_BOTH(name, atomic_swap)                \
    OSHMPI_BOTH(name, atomic_fetch_nbi) OSHMPI_BOTH(name, atomic_swap_nbi)
#define OSHMPI_WAITS(name)                                                                                      \
    OSHMPI_ONE(name, wait_until) OSHMPI_ONE(name, wait_until_all) OSHMPI_ONE(name, wait_until_any)              \
    OSHMPI_ONE(name, wait_until_some) OSHMPI_ONE(name, wait_until_all_vector)                                   \
    OSHMPI_ONE(name, wait_until_any_vector) OSHMPI_ONE(name, wait_until_some_vector) OSHMPI_ONE(name, test)     \
    OSHMPI_ONE(name, test_all) OSHMPI_ONE(name, test_any) OSHMPI_ONE(name, test_some)                           \
    OSHMPI_ONE(name, test_all_vector) OSHMPI_ONE(name, test_any_vector) OSHMPI_ONE(name, test_some_vector)
#define OSHMPI_AMO(T, name)                                                                                     \
    template <> struct amo<T> {                                                                                 \
        OSHMPI_AMO_EXTENDED(name) OSHMPI_BOTH(name, atomic_compare_swap) OSHMPI_BOTH(name, atomic_fetch_inc)    \
        OSHMPI_BOTH(name, atomic_inc) OSHMPI_BOTH(name, atomic_fetch_add) OSHMPI_BOTH(name, atomic_add)         \
        OSHMPI_BOTH(name, atomic_compare_swap_nbi) OSHMPI_BOTH(name, atomic_fetch_inc_nbi)                      \
        OSHMPI_BOTH(name, atomic_fetch_add_nbi) OSHMPI_WAITS(name)                                              \
    };
OSHMPI_AMO_TYPES(OSHMPI_AMO)
template <> struct amo<float> { OSHMPI_AMO_EXTENDED(float) };
template <> struct amo<double> { OSHMPI_AMO_EXTENDED(double) };
template <> struct amo<short> { OSHMPI_WAITS(short) };
template <> struct amo<unsigned short> { OSHMPI_WAITS(ushort) };

/* Bitwise atomics and reductions: by width, as the sign takes no part. */
template <std::size_t N> struct bit_amo;
#define OSHMPI_BIT_AMO(N, name)                                                                                 \
    template <> struct bit_amo<N> {                                                                             \
        OSHMPI_BOTH(name, atomic_fetch_and) OSHMPI_BOTH(name, atomic_and) OSHMPI_BOTH(name, atomic_fetch_or)    \
        OSHMPI_BOTH(name, atomic_or) OSHMPI_BOTH(name, atomic_fetch_xor) OSHMPI_BOTH(name, atomic_xor)          \
        OSHMPI_BOTH(name, atomic_fetch_and_nbi) OSHMPI_BOTH(name, atomic_fetch_or_nbi)                          \
        OSHMPI_BOTH(name, atomic_fetch_xor_nbi)                                                                 \
    };
OSHMPI_BIT_AMO(4, uint32)
OSHMPI_BIT_AMO(8, uint64)
template <std::size_t N> struct bit_red;
#define OSHMPI_BIT_RED(N, name)                                                                                 \
    template <> struct bit_red<N> {                                                                             \
        OSHMPI_START(name, and_reduce) OSHMPI_START(name, or_reduce) OSHMPI_START(name, xor_reduce)             \
    };
OSHMPI_BIT_RED(1, uint8)
OSHMPI_BIT_RED(2, uint16)
OSHMPI_BIT_RED(4, uint32)
OSHMPI_BIT_RED(8, uint64)

/* Arithmetic reductions and scans. `c_type` is what the C routine takes. */
template <typename T> struct red;
#define OSHMPI_RED_SUM(name)                                                                                    \
    OSHMPI_START(name, sum_reduce) OSHMPI_START(name, prod_reduce) OSHMPI_START(name, sum_inscan)               \
    OSHMPI_START(name, sum_exscan)
#define OSHMPI_RED(T, name)                                                                                     \
    template <> struct red<T> {                                                                                 \
        using c_type = T;                                                                                       \
        OSHMPI_RED_SUM(name) OSHMPI_START(name, min_reduce) OSHMPI_START(name, max_reduce)                      \
    };
OSHMPI_REAL_TYPES(OSHMPI_RED)
template <> struct red<std::complex<double>> { using c_type = oshmpi_complexd; OSHMPI_RED_SUM(complexd) };
template <> struct red<std::complex<float>> { using c_type = oshmpi_complexf; OSHMPI_RED_SUM(complexf) };

} // namespace detail

} // namespace shmem

#undef OSHMPI_AMO_TYPES
#undef OSHMPI_REAL_TYPES
#undef OSHMPI_PLAIN
#undef OSHMPI_PLAIN_MOVE
#undef OSHMPI_PLAIN_STRIDED
#undef OSHMPI_PLAIN_SIGNAL
#undef OSHMPI_PLAIN_COLL
#undef OSHMPI_BOTH
#undef OSHMPI_ONE
#undef OSHMPI_START
#undef OSHMPI_RMA
#undef OSHMPI_AMO_EXTENDED
#undef OSHMPI_WAITS
#undef OSHMPI_AMO
#undef OSHMPI_BIT_AMO
#undef OSHMPI_BIT_RED
#undef OSHMPI_RED_SUM
#undef OSHMPI_RED

#endif
