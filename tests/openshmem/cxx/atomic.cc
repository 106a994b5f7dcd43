/* shmem.hpp: atomic operations, waits and tests, with and without a context.
 * rules: 6 */
#include "check.h"

#include <shmem.hpp>

namespace {

template <typename T> void extended()
{
    shmem::context ctx;
    shmem::symmetric<T> w(2);
    const int right = t_right();
    shmem::atomic_set(&w[0], 5, right);
    shmem::atomic_set(ctx, &w[1], 6, right);
    ctx.quiet();
    shmem::barrier_all();
    const T *word = w.data();
    CHECK(shmem::atomic_fetch(word, right) == T(5));
    CHECK(shmem::atomic_fetch(ctx, word + 1, right) == T(6));
    T a = 0, b = 0;
    shmem::atomic_fetch_nbi(&a, word, right);
    shmem::atomic_fetch_nbi(ctx, &b, word + 1, right);
    shmem::quiet();
    ctx.quiet();
    CHECK(a == T(5) && b == T(6));
    shmem::barrier_all();
    CHECK(shmem::atomic_swap(&w[0], 7, right) == T(5));
    CHECK(shmem::atomic_swap(ctx, &w[1], 8, right) == T(6));
    shmem::atomic_swap_nbi(&a, &w[0], 9, right);
    shmem::atomic_swap_nbi(ctx, &b, &w[1], 10, right);
    shmem::quiet();
    ctx.quiet();
    CHECK(a == T(7) && b == T(8));
    shmem::barrier_all();
    CHECK(w[0] == T(9) && w[1] == T(10));
}

template <typename T> void standard()
{
    t_what = __PRETTY_FUNCTION__;
    extended<T>();
    shmem::context ctx;
    shmem::symmetric<T> w(2);
    /* All PEs on PE 0's words. */
    const T n = T(t_npes);
    shmem::atomic_add(&w[0], 3, 0);
    shmem::atomic_inc(&w[0], 0);
    const T before = shmem::atomic_fetch_add(&w[0], 2, 0);
    CHECK(before >= 4 && before <= T(10 * n - 6));
    CHECK(shmem::atomic_fetch_inc(&w[0], 0) >= T(6));
    shmem::atomic_add(ctx, &w[1], 3, 0);
    shmem::atomic_inc(ctx, &w[1], 0);
    CHECK(shmem::atomic_fetch_add(ctx, &w[1], 2, 0) >= T(4));
    CHECK(shmem::atomic_fetch_inc(ctx, &w[1], 0) >= T(6));
    T a = 0, b = 0, c = 0, d = 0;
    shmem::atomic_fetch_add_nbi(&a, &w[0], 2, 0);
    shmem::atomic_fetch_inc_nbi(&b, &w[0], 0);
    shmem::atomic_fetch_add_nbi(ctx, &c, &w[1], 2, 0);
    shmem::atomic_fetch_inc_nbi(ctx, &d, &w[1], 0);
    shmem::quiet();
    ctx.quiet();
    CHECK(a >= T(7) && b >= T(9) && c >= T(7) && d >= T(9));
    shmem::barrier_all();
    if (t_me == 0)
        CHECK(w[0] == T(10 * n) && w[1] == T(10 * n));
    shmem::barrier_all();
    w[0] = w[1] = T(t_me);
    shmem::barrier_all();
    const int right = t_right();
    CHECK(shmem::atomic_compare_swap(&w[0], T(right + 1), 99, right) == T(right));
    CHECK(shmem::atomic_compare_swap(&w[0], T(right), 98, right) == T(right));
    CHECK(shmem::atomic_compare_swap(ctx, &w[1], T(right), 97, right) == T(right));
    shmem::atomic_compare_swap_nbi(&a, &w[0], 98, 96, right);
    shmem::atomic_compare_swap_nbi(ctx, &b, &w[1], 97, 95, right);
    shmem::quiet();
    ctx.quiet();
    CHECK(a == T(98) && b == T(97));
    shmem::barrier_all();
    CHECK(w[0] == T(96) && w[1] == T(95));
    t_what = "";
}

template <typename T> void bits()
{
    t_what = __PRETTY_FUNCTION__;
    shmem::context ctx;
    shmem::symmetric<T> w(3);
    const int right = t_right();
    const T top = std::numeric_limits<T>::min(); /* of signed types: the sign bit */
    w[0] = T(~T(0)), w[1] = top, w[2] = T(0x55);
    shmem::barrier_all();
    shmem::atomic_and(&w[0], T(top | 0xf0), right);
    shmem::atomic_or(&w[1], 0x0f, right);
    shmem::atomic_xor(&w[2], 0xff, right);
    CHECK(shmem::atomic_fetch_and(&w[0], T(top | 0x3c), right) == T(top | 0xf0));
    CHECK(shmem::atomic_fetch_or(&w[1], 0x30, right) == T(top | 0x0f));
    CHECK(shmem::atomic_fetch_xor(&w[2], 0xff, right) == T(0xaa));
    shmem::barrier_all();
    shmem::atomic_and(ctx, &w[0], T(top | 0x18), right);
    shmem::atomic_or(ctx, &w[1], 0x40, right);
    shmem::atomic_xor(ctx, &w[2], 0x0f, right);
    ctx.quiet();
    CHECK(shmem::atomic_fetch_and(ctx, &w[0], T(top | 0x10), right) == T(top | 0x10));
    CHECK(shmem::atomic_fetch_or(ctx, &w[1], 0x80, right) == T(top | 0x7f));
    CHECK(shmem::atomic_fetch_xor(ctx, &w[2], 0x0f, right) == T(0x5a));
    T a = 0, b = 0, c = 0;
    shmem::atomic_fetch_and_nbi(&a, &w[0], T(0), right);
    shmem::atomic_fetch_or_nbi(&b, &w[1], T(0), right);
    shmem::atomic_fetch_xor_nbi(&c, &w[2], T(0), right);
    shmem::quiet();
    CHECK(a == T(top | 0x10) && b == T(top | 0xff) && c == T(0x55));
    shmem::atomic_fetch_and_nbi(ctx, &a, &w[0], T(0), right);
    shmem::atomic_fetch_or_nbi(ctx, &b, &w[1], T(0), right);
    shmem::atomic_fetch_xor_nbi(ctx, &c, &w[2], T(1), right);
    ctx.quiet();
    CHECK(a == T(0) && b == T(top | 0xff) && c == T(0x55));
    shmem::barrier_all();
    t_what = "";
}

template <typename T> void waits()
{
    t_what = __PRETTY_FUNCTION__;
    using shmem::cmp;
    shmem::symmetric<T> w(4);
    const int right = t_right();
    CHECK(!shmem::test(&w[0], cmp::ne, 0) && shmem::test(&w[0], cmp::le, 0));
    CHECK(!shmem::test_all(w.data(), 4, nullptr, cmp::gt, 0));
    shmem::barrier_all(); /* everybody has looked */
    for (int i = 0; i < 4; i++)
        shmem::atomic_set(&w[i], T(i + 1), right);
    shmem::wait_until(&w[0], cmp::eq, 1);
    shmem::wait_until_all(w.data(), 4, nullptr, cmp::ge, 1);
    CHECK(shmem::test_all(w.data(), 4, nullptr, cmp::lt, 5));
    const T each[4] = {1, 2, 3, 4};
    shmem::wait_until_all_vector(w.data(), 4, nullptr, cmp::eq, each);
    CHECK(shmem::test_all_vector(w.data(), 4, nullptr, cmp::eq, each));
    CHECK_EQ(shmem::wait_until_any(w.data(), 4, nullptr, cmp::gt, 3), 3);
    CHECK_EQ(shmem::test_any(w.data(), 4, nullptr, cmp::lt, 2), 0);
    CHECK_EQ(shmem::test_any(w.data(), 4, nullptr, cmp::gt, 4), shmem::none);
    const T above[4] = {9, 9, 2, 9};
    CHECK_EQ(shmem::wait_until_any_vector(w.data(), 4, nullptr, cmp::gt, above), 2);
    CHECK_EQ(shmem::test_any_vector(w.data(), 4, nullptr, cmp::gt, above), 2);
    std::size_t found[4];
    const int leave_out_first[4] = {1, 0, 0, 0};
    CHECK_EQ(shmem::wait_until_some(w.data(), 4, found, leave_out_first, cmp::le, 3), 2);
    CHECK_EQ(found[0] + found[1], 3);
    CHECK_EQ(shmem::test_some(w.data(), 4, found, nullptr, cmp::gt, 4), 0);
    CHECK_EQ(shmem::wait_until_some_vector(w.data(), 4, found, nullptr, cmp::eq, each), 4);
    CHECK_EQ(shmem::test_some_vector(w.data(), 4, found, nullptr, cmp::gt, above), 1);
    shmem::barrier_all();
    t_what = "";
}

template <typename... T> void each_standard() { ((standard<T>(), waits<T>()), ...); }
template <typename... T> void each_bits() { (bits<T>(), ...); }

} // namespace

int main()
{
    t_init();
    extended<float>();
    extended<double>();
    each_standard<int, long, long long, unsigned int, unsigned long, unsigned long long, int32_t, int64_t, uint32_t,
                  uint64_t, size_t, ptrdiff_t>();
    each_bits<int, long, long long, unsigned int, unsigned long, unsigned long long>();
    return t_done();
}
