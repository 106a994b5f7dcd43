/* shmem.hpp: atomic operations, waits and tests, with and without a context.
 * rules: 6 */
#include "check.h"

#include <shmem.hpp>

namespace {

/* An operation on the context of the loop or on the default one, and its completion. */
#define ON(OP, ...) (with ? shmem::OP(ctx, __VA_ARGS__) : shmem::OP(__VA_ARGS__))
#define QUIET() (with ? ctx.quiet() : shmem::quiet())

template <typename T> void extended()
{
    shmem::context ctx;
    shmem::symmetric<T> w(1);
    const T *word = w.data();
    const int right = t_right();
    for (bool with : {false, true}) {
        ON(atomic_set, &w[0], 5, right);
        QUIET();
        shmem::barrier_all();
        CHECK(ON(atomic_fetch, word, right) == T(5));
        T a = 0;
        ON(atomic_fetch_nbi, &a, word, right);
        QUIET();
        CHECK(a == T(5));
        shmem::barrier_all();
        CHECK(ON(atomic_swap, &w[0], 7, right) == T(5));
        ON(atomic_swap_nbi, &a, &w[0], 9, right);
        QUIET();
        CHECK(a == T(7));
        shmem::barrier_all();
        CHECK(w[0] == T(9));
        shmem::barrier_all();
    }
}

template <typename T> void standard()
{
    t_what = __PRETTY_FUNCTION__;
    extended<T>();
    shmem::context ctx;
    const int right = t_right();
    for (bool with : {false, true}) {
        shmem::symmetric<T> w(1);
        /* All PEs on PE 0's word. */
        const T n = T(t_npes);
        ON(atomic_add, &w[0], 3, 0);
        ON(atomic_inc, &w[0], 0);
        const T before = ON(atomic_fetch_add, &w[0], 2, 0);
        CHECK(before >= 4 && before <= T(10 * n - 6));
        CHECK(ON(atomic_fetch_inc, &w[0], 0) >= T(6));
        T a = 0, b = 0;
        ON(atomic_fetch_add_nbi, &a, &w[0], 2, 0);
        ON(atomic_fetch_inc_nbi, &b, &w[0], 0);
        QUIET();
        CHECK(a >= T(7) && b >= T(9));
        shmem::barrier_all();
        if (t_me == 0)
            CHECK_EQ(w[0], 10 * n);
        shmem::barrier_all();
        w[0] = T(t_me);
        shmem::barrier_all();
        CHECK(ON(atomic_compare_swap, &w[0], T(right + 1), 99, right) == T(right));
        CHECK(ON(atomic_compare_swap, &w[0], T(right), 98, right) == T(right));
        ON(atomic_compare_swap_nbi, &a, &w[0], 98, 96, right);
        QUIET();
        CHECK(a == T(98));
        shmem::barrier_all();
        CHECK(w[0] == T(96));
    }
    t_what = "";
}

template <typename T> void bits()
{
    t_what = __PRETTY_FUNCTION__;
    shmem::context ctx;
    shmem::symmetric<T> w(3);
    const int right = t_right();
    const T top = std::numeric_limits<T>::min(); /* of signed types: the sign bit */
    for (bool with : {false, true}) {
        w[0] = T(~T(0)), w[1] = top, w[2] = T(0x55);
        shmem::barrier_all();
        ON(atomic_and, &w[0], T(top | 0xf0), right);
        ON(atomic_or, &w[1], 0x0f, right);
        ON(atomic_xor, &w[2], 0xff, right);
        QUIET();
        CHECK(ON(atomic_fetch_and, &w[0], T(top | 0x3c), right) == T(top | 0xf0));
        CHECK(ON(atomic_fetch_or, &w[1], 0x30, right) == T(top | 0x0f));
        CHECK(ON(atomic_fetch_xor, &w[2], 0xf0, right) == T(0xaa));
        T a = 0, b = 0, c = 0;
        ON(atomic_fetch_and_nbi, &a, &w[0], T(0), right);
        ON(atomic_fetch_or_nbi, &b, &w[1], T(0), right);
        ON(atomic_fetch_xor_nbi, &c, &w[2], T(0), right);
        QUIET();
        CHECK(a == T(top | 0x30) && b == T(top | 0x3f) && c == T(0x5a));
        shmem::barrier_all();
    }
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
