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
 * Owners (runtime, symmetric, team, context, session, lock_guard, request) cannot be copied. Some can be moved.
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

/* R op(params) by `routines`::op(args). Parameters and arguments are in brackets. */
#define OSHMPI_FORM(R, op, routines, params, args)                                                      \
    template <typename T> R op(OSHMPI_LIST params)                                                      \
    {                                                                                                   \
        return static_cast<R>(detail::routines::op(OSHMPI_LIST args));                                  \
    }
/* The same, and with a context before the parameters. */
#define OSHMPI_FORMS(R, op, routines, params, args)                                                     \
    OSHMPI_FORM(R, op, routines, params, args)                                                          \
    template <typename T> R op(shmem_ctx_t ctx, OSHMPI_LIST params)                                     \
    {                                                                                                   \
        return static_cast<R>(detail::routines::ctx_##op(ctx, OSHMPI_LIST args));                       \
    }

/* ---- Remote memory access ----------------------------------------------------------------------------------- */

#define OSHMPI_MOVE(op)                                                                                    \
    OSHMPI_FORMS(void, op, rma<T>, (T *dest, const detail::same_t<T> *source, std::size_t nelems, int pe), \
                 (dest, source, nelems, pe))
OSHMPI_MOVE(put)
OSHMPI_MOVE(get)
OSHMPI_MOVE(put_nbi)
OSHMPI_MOVE(get_nbi)

OSHMPI_FORMS(void, p, rma<T>, (T *dest, detail::same_t<T> value, int pe), (dest, value, pe))
OSHMPI_FORMS(std::remove_const_t<T>, g, rma<std::remove_const_t<T>>, (T *source, int pe), (source, pe))

#define OSHMPI_STRIDED(op)                                                                                         \
    OSHMPI_FORMS(void, op, rma<T>,                                                                                 \
                 (T *dest, const detail::same_t<T> *source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, \
                  int pe),                                                                                         \
                 (dest, source, dst, sst, n, pe))
#define OSHMPI_BLOCKS(op)                                                                               \
    OSHMPI_FORMS(void, op, rma<T>,                                                                      \
                 (T *dest, const detail::same_t<T> *source, std::ptrdiff_t dst, std::ptrdiff_t sst,     \
                  std::size_t bsize, std::size_t nblocks, int pe),                                      \
                 (dest, source, dst, sst, bsize, nblocks, pe))
OSHMPI_STRIDED(iput)
OSHMPI_STRIDED(iget)
OSHMPI_BLOCKS(ibput)
OSHMPI_BLOCKS(ibget)

#define OSHMPI_PUT_SIGNAL(op)                                                                            \
    OSHMPI_FORMS(void, op, rma<T>,                                                                       \
                 (T *dest, const detail::same_t<T> *source, std::size_t nelems, std::uint64_t *sig_addr, \
                  std::uint64_t signal, signal_op how, int pe),                                          \
                 (dest, source, nelems, sig_addr, signal, static_cast<int>(how), pe))
OSHMPI_PUT_SIGNAL(put_signal)
OSHMPI_PUT_SIGNAL(put_signal_nbi)

/* ---- Atomic operations: nonblocking ones write what the word was to `fetch` --------------------------------- */

OSHMPI_FORMS(std::remove_const_t<T>, atomic_fetch, amo<std::remove_const_t<T>>, (T *source, int pe), (source, pe))
OSHMPI_FORMS(void, atomic_fetch_nbi, amo<T>, (T *fetch, const detail::same_t<T> *source, int pe), (fetch, source, pe))
OSHMPI_FORMS(void, atomic_inc, amo<T>, (T *dest, int pe), (dest, pe))
OSHMPI_FORMS(T, atomic_fetch_inc, amo<T>, (T *dest, int pe), (dest, pe))
OSHMPI_FORMS(void, atomic_fetch_inc_nbi, amo<T>, (T *fetch, detail::same_t<T> *dest, int pe), (fetch, dest, pe))

#define OSHMPI_AMO_VALUE(R, op)                                                                         \
    OSHMPI_FORMS(R, op, amo<T>, (T *dest, detail::same_t<T> value, int pe), (dest, value, pe))
#define OSHMPI_AMO_VALUE_NBI(op)                                                                         \
    OSHMPI_FORMS(void, op, amo<T>, (T *fetch, detail::same_t<T> *dest, detail::same_t<T> value, int pe), \
                 (fetch, dest, value, pe))
OSHMPI_AMO_VALUE(void, atomic_set)
OSHMPI_AMO_VALUE(void, atomic_add)
OSHMPI_AMO_VALUE(T, atomic_swap)
OSHMPI_AMO_VALUE(T, atomic_fetch_add)
OSHMPI_AMO_VALUE_NBI(atomic_swap_nbi)
OSHMPI_AMO_VALUE_NBI(atomic_fetch_add_nbi)

/* Writes value if the word is cond; gives what it was. */
OSHMPI_FORMS(T, atomic_compare_swap, amo<T>, (T *dest, detail::same_t<T> cond, detail::same_t<T> value, int pe),
             (dest, cond, value, pe))
OSHMPI_FORMS(void, atomic_compare_swap_nbi, amo<T>,
             (T *fetch, detail::same_t<T> *dest, detail::same_t<T> cond, detail::same_t<T> value, int pe),
             (fetch, dest, cond, value, pe))

/* Bitwise, for integers of 4 and 8 bytes. */
#define OSHMPI_AMO_BITS(op)                                                                               \
    OSHMPI_FORMS(void, atomic_##op, bit_amo<sizeof(T)>, (T *dest, detail::integer_t<T> value, int pe),    \
                 (detail::words(dest), detail::word_t<T>(value), pe))                                     \
    OSHMPI_FORMS(T, atomic_fetch_##op, bit_amo<sizeof(T)>, (T *dest, detail::integer_t<T> value, int pe), \
                 (detail::words(dest), detail::word_t<T>(value), pe))                                     \
    OSHMPI_FORMS(void, atomic_fetch_##op##_nbi, bit_amo<sizeof(T)>,                                       \
                 (T *fetch, detail::same_t<T> *dest, detail::integer_t<T> value, int pe),                 \
                 (detail::words(fetch), detail::words(dest), detail::word_t<T>(value), pe))
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

OSHMPI_FORM(void, wait_until, amo<T>, (T *ivar, cmp how, detail::same_t<T> value),
            (ivar, static_cast<int>(how), value))
OSHMPI_FORM(bool, test, amo<T>, (T *ivar, cmp how, detail::same_t<T> value), (ivar, static_cast<int>(how), value))

/* R op(ivars, n, status, cmp, value), and _vector with a value for each. status may be null. */
#define OSHMPI_MANY(R, op)                                                                                   \
    OSHMPI_FORM(R, op, amo<T>,                                                                               \
                (T *ivars, std::size_t nelems, const int *status, cmp how, detail::same_t<T> value),         \
                (ivars, nelems, status, static_cast<int>(how), value))                                       \
    OSHMPI_FORM(R, op##_vector, amo<T>,                                                                      \
                (T *ivars, std::size_t nelems, const int *status, cmp how, const detail::same_t<T> *values), \
                (ivars, nelems, status, static_cast<int>(how), values))
#define OSHMPI_SOME(op)                                                                                 \
    OSHMPI_FORM(std::size_t, op, amo<T>,                                                                \
                (T *ivars, std::size_t nelems, std::size_t *indices, const int *status, cmp how,        \
                 detail::same_t<T> value),                                                              \
                (ivars, nelems, indices, status, static_cast<int>(how), value))                         \
    OSHMPI_FORM(std::size_t, op##_vector, amo<T>,                                                       \
                (T *ivars, std::size_t nelems, std::size_t *indices, const int *status, cmp how,        \
                 const detail::same_t<T> *values),                                                      \
                (ivars, nelems, indices, status, static_cast<int>(how), values))
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

OSHMPI_FORM(int, broadcast, rma<T>,
            (shmem_team_t team, T *dest, const detail::same_t<T> *source, std::size_t nelems, int root),
            (team, dest, source, nelems, root))
OSHMPI_FORM(int, alltoalls, rma<T>,
            (shmem_team_t team, T *dest, const detail::same_t<T> *source, std::ptrdiff_t dst, std::ptrdiff_t sst,
             std::size_t nelems),
            (team, dest, source, dst, sst, nelems))

/* op, and op_nb, which starts it. The C routine takes a C *, which is laid out as the S *. */
#define OSHMPI_COLL(op, routines, S, C)                                                                          \
    OSHMPI_FORM(int, op, routines, (shmem_team_t team, T *dest, const detail::S<T> *source, std::size_t nelems), \
                (team, reinterpret_cast<C *>(dest), reinterpret_cast<const C *>(source), nelems))                \
    template <typename T>                                                                                        \
    [[nodiscard]] request op##_nb(shmem_team_t team, T *dest, const detail::S<T> *source, std::size_t nelems)    \
    {                                                                                                            \
        return request([=](shmemx_req_t *req) {                                                                  \
            detail::routines::op##_nb(team, reinterpret_cast<C *>(dest), reinterpret_cast<const C *>(source),    \
                                      nelems, req);                                                              \
        });                                                                                                      \
    }
OSHMPI_COLL(collect, rma<T>, same_t, T)
OSHMPI_COLL(fcollect, rma<T>, same_t, T)
OSHMPI_COLL(alltoall, rma<T>, same_t, T)
OSHMPI_COLL(sum_reduce, red<T>, same_t, typename detail::red<T>::c_type)
OSHMPI_COLL(prod_reduce, red<T>, same_t, typename detail::red<T>::c_type)
OSHMPI_COLL(sum_inscan, red<T>, same_t, typename detail::red<T>::c_type)
OSHMPI_COLL(sum_exscan, red<T>, same_t, typename detail::red<T>::c_type)
OSHMPI_COLL(min_reduce, red<T>, same_t, typename detail::red<T>::c_type)
OSHMPI_COLL(max_reduce, red<T>, same_t, typename detail::red<T>::c_type)
OSHMPI_COLL(and_reduce, bit_red<sizeof(T)>, integer_t, detail::word_t<T>)
OSHMPI_COLL(or_reduce, bit_red<sizeof(T)>, integer_t, detail::word_t<T>)
OSHMPI_COLL(xor_reduce, bit_red<sizeof(T)>, integer_t, detail::word_t<T>)

template <typename T>
[[nodiscard]] request broadcast_nb(shmem_team_t team, T *dest, const detail::same_t<T> *source, std::size_t nelems,
                                   int root)
{
    return request([=](shmemx_req_t *req) { detail::rma<T>::broadcast_nb(team, dest, source, nelems, root, req); });
}
[[nodiscard]] inline request sync_nb(shmem_team_t team)
{
    return request([=](shmemx_req_t *req) { shmemx_sync_nb(team, req); });
}
[[nodiscard]] inline request barrier_all_nb()
{
    return request([](shmemx_req_t *req) { shmemx_barrier_all_nb(req); });
}

} // namespace shmem

#undef OSHMPI_LIST
#undef OSHMPI_FORM
#undef OSHMPI_FORMS
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

#endif
