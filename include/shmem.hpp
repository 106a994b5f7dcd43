/* shmem.hpp: OpenSHMEM for C++17 and later, an extension of oshmpi. Templates over shmem.h, header only.
 *
 * shmem::put(T *dest, const T *source, size_t n, int pe) and its like take any trivially copyable T, std::complex
 * included. Each calls the C routine for T, or the one for plain memory if there is none, and adds nothing at run time.
 * Only alltoalls has none for plain memory. It becomes a collective for each word of T, which is as wide as T is
 * aligned, and 8 bytes at most.
 * Argument order is that of the C routines; a context or team, where there is one, comes first.
 *
 *     shmem::runtime job;                                 // shmem_init now, shmem_finalize at the end of the scope
 *     shmem::symmetric<std::complex<double>> x(100);      // collective, as shmem_calloc and shmem_free are
 *     shmem::put(x.data(), mine.data(), 100, (shmem::my_pe() + 1) % shmem::n_pes());
 *     shmem::barrier_all();
 *
 * Owners (runtime, symmetric, team, context, session, lock_guard) cannot be copied. Some can be moved.
 * The destructor of an owner whose release is collective must run on all PEs that take part, in the same order. */
#ifndef OSHMPI_SHMEM_HPP
#define OSHMPI_SHMEM_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "shmem.hpp needs C++17 or later"
#endif

#include <oshmpi/owners.hpp>
#include <oshmpi/routines.hpp>
#include <shmem.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace shmem {

/* How a word is compared in waits and tests. */
enum class cmp : int {
    eq = SHMEM_CMP_EQ,
    ne = SHMEM_CMP_NE,
    gt = SHMEM_CMP_GT,
    ge = SHMEM_CMP_GE,
    lt = SHMEM_CMP_LT,
    le = SHMEM_CMP_LE
};

/* What put_signal does to the signal word. */
enum class signal_op : int { set = SHMEM_SIGNAL_SET, add = SHMEM_SIGNAL_ADD };

/* ---- Setup and query ---------------------------------------------------------------------------------------- */

inline int my_pe() { return shmem_my_pe(); }
inline int n_pes() { return shmem_n_pes(); }

/* ---- Remote memory access ----------------------------------------------------------------------------------- */

/* op(dest, source, n, pe) and op(ctx, dest, source, n, pe) */
#define OSHMPI_MOVE(op)                                                                                         \
    template <typename T> void op(T *dest, const detail::same_t<T> *source, std::size_t nelems, int pe)         \
    {                                                                                                           \
        detail::rma<T>::op(dest, source, nelems, pe);                                                           \
    }                                                                                                           \
    template <typename T>                                                                                       \
    void op(shmem_ctx_t ctx, T *dest, const detail::same_t<T> *source, std::size_t nelems, int pe)              \
    {                                                                                                           \
        detail::rma<T>::ctx_##op(ctx, dest, source, nelems, pe);                                                \
    }
OSHMPI_MOVE(put)
OSHMPI_MOVE(get)
OSHMPI_MOVE(put_nbi)
OSHMPI_MOVE(get_nbi)

template <typename T> void p(T *dest, detail::same_t<T> value, int pe) { detail::rma<T>::p(dest, value, pe); }
template <typename T> void p(shmem_ctx_t ctx, T *dest, detail::same_t<T> value, int pe)
{
    detail::rma<T>::ctx_p(ctx, dest, value, pe);
}
template <typename T> std::remove_const_t<T> g(T *source, int pe)
{
    return detail::rma<std::remove_const_t<T>>::g(source, pe);
}
template <typename T> std::remove_const_t<T> g(shmem_ctx_t ctx, T *source, int pe)
{
    return detail::rma<std::remove_const_t<T>>::ctx_g(ctx, source, pe);
}

/* op(dest, source, dst, sst, n, pe), and blocks: op(dest, source, dst, sst, bsize, nblocks, pe) */
#define OSHMPI_STRIDED(op)                                                                                      \
    template <typename T>                                                                                       \
    void op(T *dest, const detail::same_t<T> *source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n,    \
            int pe)                                                                                             \
    {                                                                                                           \
        detail::rma<T>::op(dest, source, dst, sst, n, pe);                                                      \
    }                                                                                                           \
    template <typename T>                                                                                       \
    void op(shmem_ctx_t ctx, T *dest, const detail::same_t<T> *source, std::ptrdiff_t dst, std::ptrdiff_t sst,  \
            std::size_t n, int pe)                                                                              \
    {                                                                                                           \
        detail::rma<T>::ctx_##op(ctx, dest, source, dst, sst, n, pe);                                           \
    }
#define OSHMPI_BLOCKS(op)                                                                                       \
    template <typename T>                                                                                       \
    void op(T *dest, const detail::same_t<T> *source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t b,    \
            std::size_t n, int pe)                                                                              \
    {                                                                                                           \
        detail::rma<T>::op(dest, source, dst, sst, b, n, pe);                                                   \
    }                                                                                                           \
    template <typename T>                                                                                       \
    void op(shmem_ctx_t ctx, T *dest, const detail::same_t<T> *source, std::ptrdiff_t dst, std::ptrdiff_t sst,  \
            std::size_t b, std::size_t n, int pe)                                                               \
    {                                                                                                           \
        detail::rma<T>::ctx_##op(ctx, dest, source, dst, sst, b, n, pe);                                        \
    }
OSHMPI_STRIDED(iput)
OSHMPI_STRIDED(iget)
OSHMPI_BLOCKS(ibput)
OSHMPI_BLOCKS(ibget)

#define OSHMPI_PUT_SIGNAL(op)                                                                                   \
    template <typename T>                                                                                       \
    void op(T *dest, const detail::same_t<T> *source, std::size_t nelems, std::uint64_t *sig_addr,              \
            std::uint64_t signal, signal_op how, int pe)                                                        \
    {                                                                                                           \
        detail::rma<T>::op(dest, source, nelems, sig_addr, signal, static_cast<int>(how), pe);                  \
    }                                                                                                           \
    template <typename T>                                                                                       \
    void op(shmem_ctx_t ctx, T *dest, const detail::same_t<T> *source, std::size_t nelems,                      \
            std::uint64_t *sig_addr, std::uint64_t signal, signal_op how, int pe)                               \
    {                                                                                                           \
        detail::rma<T>::ctx_##op(ctx, dest, source, nelems, sig_addr, signal, static_cast<int>(how), pe);       \
    }
OSHMPI_PUT_SIGNAL(put_signal)
OSHMPI_PUT_SIGNAL(put_signal_nbi)

/* ---- Atomic operations -------------------------------------------------------------------------------------- */

template <typename T> std::remove_const_t<T> atomic_fetch(T *source, int pe)
{
    return detail::amo<std::remove_const_t<T>>::atomic_fetch(source, pe);
}
template <typename T> std::remove_const_t<T> atomic_fetch(shmem_ctx_t ctx, T *source, int pe)
{
    return detail::amo<std::remove_const_t<T>>::ctx_atomic_fetch(ctx, source, pe);
}
template <typename T> void atomic_fetch_nbi(T *fetch, const detail::same_t<T> *source, int pe)
{
    detail::amo<T>::atomic_fetch_nbi(fetch, source, pe);
}
template <typename T> void atomic_fetch_nbi(shmem_ctx_t ctx, T *fetch, const detail::same_t<T> *source, int pe)
{
    detail::amo<T>::ctx_atomic_fetch_nbi(ctx, fetch, source, pe);
}

/* With a value: R op(dest, value, pe), and op_nbi(fetch, dest, value, pe). */
#define OSHMPI_AMO_VALUE(R, op)                                                                                 \
    template <typename T> R op(T *dest, detail::same_t<T> value, int pe)                                        \
    {                                                                                                           \
        return detail::amo<T>::op(dest, value, pe);                                                             \
    }                                                                                                           \
    template <typename T> R op(shmem_ctx_t ctx, T *dest, detail::same_t<T> value, int pe)                       \
    {                                                                                                           \
        return detail::amo<T>::ctx_##op(ctx, dest, value, pe);                                                  \
    }
#define OSHMPI_AMO_VALUE_NBI(op)                                                                                \
    template <typename T> void op(T *fetch, detail::same_t<T> *dest, detail::same_t<T> value, int pe)           \
    {                                                                                                           \
        detail::amo<T>::op(fetch, dest, value, pe);                                                             \
    }                                                                                                           \
    template <typename T>                                                                                       \
    void op(shmem_ctx_t ctx, T *fetch, detail::same_t<T> *dest, detail::same_t<T> value, int pe)                \
    {                                                                                                           \
        detail::amo<T>::ctx_##op(ctx, fetch, dest, value, pe);                                                  \
    }
OSHMPI_AMO_VALUE(void, atomic_set)
OSHMPI_AMO_VALUE(void, atomic_add)
OSHMPI_AMO_VALUE(T, atomic_swap)
OSHMPI_AMO_VALUE(T, atomic_fetch_add)
OSHMPI_AMO_VALUE_NBI(atomic_swap_nbi)
OSHMPI_AMO_VALUE_NBI(atomic_fetch_add_nbi)

template <typename T> void atomic_inc(T *dest, int pe) { detail::amo<T>::atomic_inc(dest, pe); }
template <typename T> void atomic_inc(shmem_ctx_t ctx, T *dest, int pe)
{
    detail::amo<T>::ctx_atomic_inc(ctx, dest, pe);
}
template <typename T> T atomic_fetch_inc(T *dest, int pe) { return detail::amo<T>::atomic_fetch_inc(dest, pe); }
template <typename T> T atomic_fetch_inc(shmem_ctx_t ctx, T *dest, int pe)
{
    return detail::amo<T>::ctx_atomic_fetch_inc(ctx, dest, pe);
}
template <typename T> void atomic_fetch_inc_nbi(T *fetch, detail::same_t<T> *dest, int pe)
{
    detail::amo<T>::atomic_fetch_inc_nbi(fetch, dest, pe);
}
template <typename T> void atomic_fetch_inc_nbi(shmem_ctx_t ctx, T *fetch, detail::same_t<T> *dest, int pe)
{
    detail::amo<T>::ctx_atomic_fetch_inc_nbi(ctx, fetch, dest, pe);
}

/* Writes value if the word is cond; gives what it was. */
template <typename T> T atomic_compare_swap(T *dest, detail::same_t<T> cond, detail::same_t<T> value, int pe)
{
    return detail::amo<T>::atomic_compare_swap(dest, cond, value, pe);
}
template <typename T>
T atomic_compare_swap(shmem_ctx_t ctx, T *dest, detail::same_t<T> cond, detail::same_t<T> value, int pe)
{
    return detail::amo<T>::ctx_atomic_compare_swap(ctx, dest, cond, value, pe);
}
template <typename T>
void atomic_compare_swap_nbi(T *fetch, detail::same_t<T> *dest, detail::same_t<T> cond, detail::same_t<T> value, int pe)
{
    detail::amo<T>::atomic_compare_swap_nbi(fetch, dest, cond, value, pe);
}
template <typename T>
void atomic_compare_swap_nbi(shmem_ctx_t ctx, T *fetch, detail::same_t<T> *dest, detail::same_t<T> cond,
                             detail::same_t<T> value, int pe)
{
    detail::amo<T>::ctx_atomic_compare_swap_nbi(ctx, fetch, dest, cond, value, pe);
}

/* Bitwise, for integers of 4 and 8 bytes. */
#define OSHMPI_AMO_BITS(op)                                                                                     \
    template <typename T, typename W = typename detail::word<sizeof(T)>::type>                                  \
    std::enable_if_t<std::is_integral_v<T>> atomic_##op(T *dest, detail::same_t<T> value, int pe)               \
    {                                                                                                           \
        detail::bit_amo<sizeof(T)>::atomic_##op(reinterpret_cast<W *>(dest), static_cast<W>(value), pe);        \
    }                                                                                                           \
    template <typename T, typename W = typename detail::word<sizeof(T)>::type>                                  \
    std::enable_if_t<std::is_integral_v<T>> atomic_##op(shmem_ctx_t ctx, T *dest, detail::same_t<T> value,      \
                                                        int pe)                                                 \
    {                                                                                                           \
        detail::bit_amo<sizeof(T)>::ctx_atomic_##op(ctx, reinterpret_cast<W *>(dest), static_cast<W>(value),    \
                                                    pe);                                                        \
    }                                                                                                           \
    template <typename T, typename W = typename detail::word<sizeof(T)>::type>                                  \
    std::enable_if_t<std::is_integral_v<T>, T> atomic_fetch_##op(T *dest, detail::same_t<T> value, int pe)      \
    {                                                                                                           \
        return static_cast<T>(detail::bit_amo<sizeof(T)>::atomic_fetch_##op(reinterpret_cast<W *>(dest),        \
                                                                            static_cast<W>(value), pe));        \
    }                                                                                                           \
    template <typename T, typename W = typename detail::word<sizeof(T)>::type>                                  \
    std::enable_if_t<std::is_integral_v<T>, T> atomic_fetch_##op(shmem_ctx_t ctx, T *dest,                      \
                                                                 detail::same_t<T> value, int pe)               \
    {                                                                                                           \
        return static_cast<T>(detail::bit_amo<sizeof(T)>::ctx_atomic_fetch_##op(                                \
            ctx, reinterpret_cast<W *>(dest), static_cast<W>(value), pe));                                      \
    }                                                                                                           \
    template <typename T, typename W = typename detail::word<sizeof(T)>::type>                                  \
    std::enable_if_t<std::is_integral_v<T>> atomic_fetch_##op##_nbi(T *fetch, detail::same_t<T> *dest,          \
                                                                    detail::same_t<T> value, int pe)            \
    {                                                                                                           \
        detail::bit_amo<sizeof(T)>::atomic_fetch_##op##_nbi(                                                    \
            reinterpret_cast<W *>(fetch), reinterpret_cast<W *>(dest), static_cast<W>(value), pe);              \
    }                                                                                                           \
    template <typename T, typename W = typename detail::word<sizeof(T)>::type>                                  \
    std::enable_if_t<std::is_integral_v<T>> atomic_fetch_##op##_nbi(                                            \
        shmem_ctx_t ctx, T *fetch, detail::same_t<T> *dest, detail::same_t<T> value, int pe)                    \
    {                                                                                                           \
        detail::bit_amo<sizeof(T)>::ctx_atomic_fetch_##op##_nbi(                                                \
            ctx, reinterpret_cast<W *>(fetch), reinterpret_cast<W *>(dest), static_cast<W>(value), pe);         \
    }
OSHMPI_AMO_BITS(and)
OSHMPI_AMO_BITS(or)
OSHMPI_AMO_BITS(xor)

/* ---- Signals, waits, order ---------------------------------------------------------------------------------- */

inline void signal_set(std::uint64_t *sig_addr, std::uint64_t signal, int pe)
{
    shmem_signal_set(sig_addr, signal, pe);
}
inline void signal_set(shmem_ctx_t ctx, std::uint64_t *sig_addr, std::uint64_t signal, int pe)
{
    shmem_ctx_signal_set(ctx, sig_addr, signal, pe);
}
inline void signal_add(std::uint64_t *sig_addr, std::uint64_t signal, int pe)
{
    shmem_signal_add(sig_addr, signal, pe);
}
inline void signal_add(shmem_ctx_t ctx, std::uint64_t *sig_addr, std::uint64_t signal, int pe)
{
    shmem_ctx_signal_add(ctx, sig_addr, signal, pe);
}
inline std::uint64_t signal_fetch(const std::uint64_t *sig_addr) { return shmem_signal_fetch(sig_addr); }
inline std::uint64_t signal_wait_until(std::uint64_t *sig_addr, cmp how, std::uint64_t value)
{
    return shmem_signal_wait_until(sig_addr, static_cast<int>(how), value);
}

/* An index that stands for "none", as wait_until_any gives. */
inline constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

template <typename T> void wait_until(T *ivar, cmp how, detail::same_t<T> value)
{
    detail::amo<T>::wait_until(ivar, static_cast<int>(how), value);
}
template <typename T> bool test(T *ivar, cmp how, detail::same_t<T> value)
{
    return detail::amo<T>::test(ivar, static_cast<int>(how), value) != 0;
}

/* R op(ivars, n, status, cmp, value), and _vector with a value for each. status may be null. */
#define OSHMPI_MANY(R, op)                                                                                      \
    template <typename T>                                                                                       \
    R op(T *ivars, std::size_t nelems, const int *status, cmp how, detail::same_t<T> value)                     \
    {                                                                                                           \
        return static_cast<R>(detail::amo<T>::op(ivars, nelems, status, static_cast<int>(how), value));         \
    }                                                                                                           \
    template <typename T>                                                                                       \
    R op##_vector(T *ivars, std::size_t nelems, const int *status, cmp how, const detail::same_t<T> *values)    \
    {                                                                                                           \
        return static_cast<R>(detail::amo<T>::op##_vector(ivars, nelems, status, static_cast<int>(how), values)); \
    }
#define OSHMPI_SOME(op)                                                                                         \
    template <typename T>                                                                                       \
    std::size_t op(T *ivars, std::size_t nelems, std::size_t *indices, const int *status, cmp how,              \
                   detail::same_t<T> value)                                                                     \
    {                                                                                                           \
        return detail::amo<T>::op(ivars, nelems, indices, status, static_cast<int>(how), value);                \
    }                                                                                                           \
    template <typename T>                                                                                       \
    std::size_t op##_vector(T *ivars, std::size_t nelems, std::size_t *indices, const int *status, cmp how,     \
                            const detail::same_t<T> *values)                                                    \
    {                                                                                                           \
        return detail::amo<T>::op##_vector(ivars, nelems, indices, status, static_cast<int>(how), values);      \
    }
OSHMPI_MANY(void, wait_until_all)
OSHMPI_MANY(std::size_t, wait_until_any)
OSHMPI_MANY(bool, test_all)
OSHMPI_MANY(std::size_t, test_any)
OSHMPI_SOME(wait_until_some)
OSHMPI_SOME(test_some)

inline void fence() { shmem_fence(); }
inline void fence(shmem_ctx_t ctx) { shmem_ctx_fence(ctx); }
inline void quiet() { shmem_quiet(); }
inline void quiet(shmem_ctx_t ctx) { shmem_ctx_quiet(ctx); }
inline void pe_quiet(const int *pes, std::size_t n) { shmem_pe_quiet(pes, n); }
inline void pe_quiet(shmem_ctx_t ctx, const int *pes, std::size_t n) { shmem_ctx_pe_quiet(ctx, pes, n); }
inline void barrier_all() { shmem_barrier_all(); }
inline void sync_all() { shmem_sync_all(); }
inline int sync(shmem_team_t team) { return shmem_team_sync(team); }

/* ---- Collectives on teams: 0 when done ---------------------------------------------------------------------- */

template <typename T>
int broadcast(shmem_team_t team, T *dest, const detail::same_t<T> *source, std::size_t nelems, int root)
{
    return detail::rma<T>::broadcast(team, dest, source, nelems, root);
}
template <typename T>
int alltoalls(shmem_team_t team, T *dest, const detail::same_t<T> *source, std::ptrdiff_t dst, std::ptrdiff_t sst,
              std::size_t nelems)
{
    return detail::rma<T>::alltoalls(team, dest, source, dst, sst, nelems);
}
#define OSHMPI_COLL(op, family)                                                                                 \
    template <typename T>                                                                                       \
    int op(shmem_team_t team, T *dest, const detail::same_t<T> *source, std::size_t nelems)                     \
    {                                                                                                           \
        return detail::family<T>::op(team, dest, source, nelems);                                               \
    }
OSHMPI_COLL(collect, rma)
OSHMPI_COLL(fcollect, rma)
OSHMPI_COLL(alltoall, rma)

/* std::complex<T> and the C routine's T _Complex are laid out alike. */
#define OSHMPI_REDUCE(op)                                                                                       \
    template <typename T>                                                                                       \
    int op(shmem_team_t team, T *dest, const detail::same_t<T> *source, std::size_t nelems)                     \
    {                                                                                                           \
        using C = typename detail::red<T>::c_type;                                                              \
        return detail::red<T>::op(team, reinterpret_cast<C *>(dest), reinterpret_cast<const C *>(source), nelems); \
    }
OSHMPI_REDUCE(sum_reduce)
OSHMPI_REDUCE(prod_reduce)
OSHMPI_REDUCE(sum_inscan)
OSHMPI_REDUCE(sum_exscan)
OSHMPI_REDUCE(min_reduce)
OSHMPI_REDUCE(max_reduce)

#define OSHMPI_REDUCE_BITS(op)                                                                                  \
    template <typename T>                                                                                       \
    std::enable_if_t<std::is_integral_v<T>, int> op(shmem_team_t team, T *dest,                                 \
                                                    const detail::same_t<T> *source, std::size_t nelems)        \
    {                                                                                                           \
        using W = typename detail::word<sizeof(T)>::type;                                                       \
        return detail::bit_red<sizeof(T)>::op(team, reinterpret_cast<W *>(dest),                                \
                                              reinterpret_cast<const W *>(source), nelems);                     \
    }
OSHMPI_REDUCE_BITS(and_reduce)
OSHMPI_REDUCE_BITS(or_reduce)
OSHMPI_REDUCE_BITS(xor_reduce)

} // namespace shmem

#undef OSHMPI_MOVE
#undef OSHMPI_STRIDED
#undef OSHMPI_BLOCKS
#undef OSHMPI_PUT_SIGNAL
#undef OSHMPI_AMO_VALUE
#undef OSHMPI_AMO_VALUE_NBI
#undef OSHMPI_AMO_BITS
#undef OSHMPI_MANY
#undef OSHMPI_SOME
#undef OSHMPI_COLL
#undef OSHMPI_REDUCE
#undef OSHMPI_REDUCE_BITS

#endif
