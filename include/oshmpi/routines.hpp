/* routines.hpp: part of shmem.hpp: which C routine serves which type. Include shmem.hpp instead. */
#ifndef OSHMPI_ROUTINES_HPP
#define OSHMPI_ROUTINES_HPP

#include <shmem.h>

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

    static void put(T *d, const T *s, std::size_t n, int pe) { shmem_putmem(d, s, n * sizeof(T), pe); }
    static void ctx_put(shmem_ctx_t c, T *d, const T *s, std::size_t n, int pe)
    {
        shmem_ctx_putmem(c, d, s, n * sizeof(T), pe);
    }
    static void get(T *d, const T *s, std::size_t n, int pe) { shmem_getmem(d, s, n * sizeof(T), pe); }
    static void ctx_get(shmem_ctx_t c, T *d, const T *s, std::size_t n, int pe)
    {
        shmem_ctx_getmem(c, d, s, n * sizeof(T), pe);
    }
    static void put_nbi(T *d, const T *s, std::size_t n, int pe) { shmem_putmem_nbi(d, s, n * sizeof(T), pe); }
    static void ctx_put_nbi(shmem_ctx_t c, T *d, const T *s, std::size_t n, int pe)
    {
        shmem_ctx_putmem_nbi(c, d, s, n * sizeof(T), pe);
    }
    static void get_nbi(T *d, const T *s, std::size_t n, int pe) { shmem_getmem_nbi(d, s, n * sizeof(T), pe); }
    static void ctx_get_nbi(shmem_ctx_t c, T *d, const T *s, std::size_t n, int pe)
    {
        shmem_ctx_getmem_nbi(c, d, s, n * sizeof(T), pe);
    }
    static void p(T *d, T v, int pe) { shmem_putmem(d, &v, sizeof(T), pe); }
    static void ctx_p(shmem_ctx_t c, T *d, T v, int pe) { shmem_ctx_putmem(c, d, &v, sizeof(T), pe); }
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
    static void ibput(T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t b, std::size_t n, int pe)
    {
        shmem_ibput8(d, s, dst * size, sst * size, b * sizeof(T), n, pe);
    }
    static void ctx_ibput(shmem_ctx_t c, T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t b,
                          std::size_t n, int pe)
    {
        shmem_ctx_ibput8(c, d, s, dst * size, sst * size, b * sizeof(T), n, pe);
    }
    static void ibget(T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t b, std::size_t n, int pe)
    {
        shmem_ibget8(d, s, dst * size, sst * size, b * sizeof(T), n, pe);
    }
    static void ctx_ibget(shmem_ctx_t c, T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t b,
                          std::size_t n, int pe)
    {
        shmem_ctx_ibget8(c, d, s, dst * size, sst * size, b * sizeof(T), n, pe);
    }
    static void iput(T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe)
    {
        ibput(d, s, dst, sst, 1, n, pe);
    }
    static void ctx_iput(shmem_ctx_t c, T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe)
    {
        ctx_ibput(c, d, s, dst, sst, 1, n, pe);
    }
    static void iget(T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe)
    {
        ibget(d, s, dst, sst, 1, n, pe);
    }
    static void ctx_iget(shmem_ctx_t c, T *d, const T *s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe)
    {
        ctx_ibget(c, d, s, dst, sst, 1, n, pe);
    }
    static void put_signal(T *d, const T *s, std::size_t n, std::uint64_t *sig, std::uint64_t v, int op, int pe)
    {
        shmem_putmem_signal(d, s, n * sizeof(T), sig, v, op, pe);
    }
    static void ctx_put_signal(shmem_ctx_t c, T *d, const T *s, std::size_t n, std::uint64_t *sig, std::uint64_t v,
                               int op, int pe)
    {
        shmem_ctx_putmem_signal(c, d, s, n * sizeof(T), sig, v, op, pe);
    }
    static void put_signal_nbi(T *d, const T *s, std::size_t n, std::uint64_t *sig, std::uint64_t v, int op, int pe)
    {
        shmem_putmem_signal_nbi(d, s, n * sizeof(T), sig, v, op, pe);
    }
    static void ctx_put_signal_nbi(shmem_ctx_t c, T *d, const T *s, std::size_t n, std::uint64_t *sig, std::uint64_t v,
                                   int op, int pe)
    {
        shmem_ctx_putmem_signal_nbi(c, d, s, n * sizeof(T), sig, v, op, pe);
    }
    static int broadcast(shmem_team_t t, T *d, const T *s, std::size_t n, int root)
    {
        return shmem_broadcastmem(t, d, s, n * sizeof(T), root);
    }
    static int collect(shmem_team_t t, T *d, const T *s, std::size_t n)
    {
        return shmem_collectmem(t, d, s, n * sizeof(T));
    }
    static int fcollect(shmem_team_t t, T *d, const T *s, std::size_t n)
    {
        return shmem_fcollectmem(t, d, s, n * sizeof(T));
    }
    static int alltoall(shmem_team_t t, T *d, const T *s, std::size_t n)
    {
        return shmem_alltoallmem(t, d, s, n * sizeof(T));
    }
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
#define OSHMPI_RMA(T, name)                                                                                     \
    template <> struct rma<T> {                                                                                 \
        OSHMPI_BOTH(name, put) OSHMPI_BOTH(name, get) OSHMPI_BOTH(name, put_nbi) OSHMPI_BOTH(name, get_nbi)     \
        OSHMPI_BOTH(name, p) OSHMPI_BOTH(name, g) OSHMPI_BOTH(name, iput) OSHMPI_BOTH(name, iget)               \
        OSHMPI_BOTH(name, ibput) OSHMPI_BOTH(name, ibget) OSHMPI_BOTH(name, put_signal)                         \
        OSHMPI_BOTH(name, put_signal_nbi) OSHMPI_ONE(name, broadcast) OSHMPI_ONE(name, collect)                 \
        OSHMPI_ONE(name, fcollect) OSHMPI_ONE(name, alltoall) OSHMPI_ONE(name, alltoalls)                       \
    };
OSHMPI_REAL_TYPES(OSHMPI_RMA)

/* Atomic operations, waits and tests. Types that are not listed have none. */
template <typename T> struct amo;
#define OSHMPI_AMO_EXTENDED(name)                                                                               \
    OSHMPI_BOTH(name, atomic_fetch) OSHMPI_BOTH(name, atomic_set) OSHMPI_BOTH(name, atomic_swap)                \
    OSHMPI_BOTH(name, atomic_fetch_nbi) OSHMPI_BOTH(name, atomic_swap_nbi)
#define OSHMPI_AMO(T, name)                                                                                     \
    template <> struct amo<T> {                                                                                 \
        OSHMPI_AMO_EXTENDED(name) OSHMPI_BOTH(name, atomic_compare_swap) OSHMPI_BOTH(name, atomic_fetch_inc)    \
        OSHMPI_BOTH(name, atomic_inc) OSHMPI_BOTH(name, atomic_fetch_add) OSHMPI_BOTH(name, atomic_add)         \
        OSHMPI_BOTH(name, atomic_compare_swap_nbi) OSHMPI_BOTH(name, atomic_fetch_inc_nbi)                      \
        OSHMPI_BOTH(name, atomic_fetch_add_nbi) OSHMPI_ONE(name, wait_until) OSHMPI_ONE(name, wait_until_all)   \
        OSHMPI_ONE(name, wait_until_any) OSHMPI_ONE(name, wait_until_some)                                      \
        OSHMPI_ONE(name, wait_until_all_vector) OSHMPI_ONE(name, wait_until_any_vector)                         \
        OSHMPI_ONE(name, wait_until_some_vector) OSHMPI_ONE(name, test) OSHMPI_ONE(name, test_all)              \
        OSHMPI_ONE(name, test_any) OSHMPI_ONE(name, test_some) OSHMPI_ONE(name, test_all_vector)                \
        OSHMPI_ONE(name, test_any_vector) OSHMPI_ONE(name, test_some_vector)                                    \
    };
OSHMPI_AMO_TYPES(OSHMPI_AMO)
template <> struct amo<float> { OSHMPI_AMO_EXTENDED(float) };
template <> struct amo<double> { OSHMPI_AMO_EXTENDED(double) };

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
        OSHMPI_ONE(name, and_reduce) OSHMPI_ONE(name, or_reduce) OSHMPI_ONE(name, xor_reduce)                   \
    };
OSHMPI_BIT_RED(1, uint8)
OSHMPI_BIT_RED(2, uint16)
OSHMPI_BIT_RED(4, uint32)
OSHMPI_BIT_RED(8, uint64)

/* Arithmetic reductions and scans. `c_type` is what the C routine takes. */
template <typename T> struct red;
#define OSHMPI_RED_SUM(name)                                                                                    \
    OSHMPI_ONE(name, sum_reduce) OSHMPI_ONE(name, prod_reduce) OSHMPI_ONE(name, sum_inscan)                     \
    OSHMPI_ONE(name, sum_exscan)
#define OSHMPI_RED(T, name)                                                                                     \
    template <> struct red<T> {                                                                                 \
        using c_type = T;                                                                                       \
        OSHMPI_RED_SUM(name) OSHMPI_ONE(name, min_reduce) OSHMPI_ONE(name, max_reduce)                          \
    };
OSHMPI_REAL_TYPES(OSHMPI_RED)
template <> struct red<std::complex<double>> { using c_type = oshmpi_complexd; OSHMPI_RED_SUM(complexd) };
template <> struct red<std::complex<float>> { using c_type = oshmpi_complexf; OSHMPI_RED_SUM(complexf) };

} // namespace detail

} // namespace shmem

#undef OSHMPI_AMO_TYPES
#undef OSHMPI_REAL_TYPES
#undef OSHMPI_BOTH
#undef OSHMPI_ONE
#undef OSHMPI_RMA
#undef OSHMPI_AMO_EXTENDED
#undef OSHMPI_AMO
#undef OSHMPI_BIT_AMO
#undef OSHMPI_BIT_RED
#undef OSHMPI_RED_SUM
#undef OSHMPI_RED

#endif
