/* shmem.hpp: collectives of every kind of type on the world and on a team.
 * rules: 6 11 */
#include "check.h"

#include <shmem.hpp>

#include <vector>

namespace {

struct Pair {
    double a;
    int b;
    bool operator==(const Pair &o) const { return a == o.a && b == o.b; }
};

/* Aligned to more than any C type. */
struct alignas(32) Wide {
    double a;
    int b;
    bool operator==(const Wide &o) const { return a == o.a && b == o.b; }
};

template <typename T> T make(int pe, int k)
{
    if constexpr (std::is_same_v<T, Pair> || std::is_same_v<T, Wide>)
        return T{double(pe), k};
    else if constexpr (shmem::detail::is_complex<T>::value)
        return T(pe % 3, k % 4 - 1);
    else
        return T(pe % 3 + k % 5);
}

constexpr int N = 6;

template <typename T> void moves(shmem_team_t team)
{
    t_what = __PRETTY_FUNCTION__;
    const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
    const size_t all = size_t(N) * n;
    shmem::symmetric<T> source(64 * N * 2), dest(64 * N * 2);
    if (team != SHMEM_TEAM_INVALID) {
        for (size_t i = 0; i < all; i++)
            source[i] = make<T>(me, int(i));
        shmem::sync(team);
        CHECK_EQ(shmem::broadcast(team, dest.data(), source.data(), N, n - 1), 0);
        for (int i = 0; i < N; i++)
            CHECK(dest[i] == make<T>(n - 1, i));
        shmem::sync(team);
        CHECK_EQ(shmem::fcollect(team, dest.data(), source.data(), N), 0);
        for (int i = 0; i < N * n; i++)
            CHECK(dest[i] == make<T>(i / N, i % N));
        shmem::sync(team);
        CHECK_EQ(shmem::collect(team, dest.data(), source.data(), size_t(me + 1)), 0);
        for (int pe = 0, at = 0; pe < n; pe++)
            for (int i = 0; i <= pe; i++, at++)
                CHECK(dest[at] == make<T>(pe, i));
        shmem::sync(team);
        CHECK_EQ(shmem::alltoall(team, dest.data(), source.data(), N), 0);
        for (int i = 0; i < N * n; i++)
            CHECK(dest[i] == make<T>(i / N, N * me + i % N));
        shmem::sync(team);
        for (size_t i = 0; i < 2 * all; i++)
            dest[i] = T{};
        shmem::sync(team);
        CHECK_EQ(shmem::alltoalls(team, dest.data(), source.data(), 2, 1, N), 0);
        for (int i = 0; i < N * n; i++) {
            CHECK(dest[2 * i] == make<T>(i / N, N * me + i % N));
            CHECK(dest[2 * i + 1] == T{});
        }
        shmem::sync(team);
    }
    shmem::barrier_all();
    t_what = "";
}

/* op(dest, source) against the same over all members, by `join`. */
template <typename T, typename Op, typename Join>
void reduced(shmem_team_t team, Op op, Join join, int first, bool up_to_me = false, bool with_me = true)
{
    const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
    shmem::symmetric<T> source(N), dest(N);
    if (team != SHMEM_TEAM_INVALID) {
        for (int i = 0; i < N; i++)
            source[i] = make<T>(me, i);
        shmem::sync(team);
        CHECK_EQ(op(team, dest.data(), source.data(), N), 0);
        for (int i = 0; i < N; i++) {
            T want = first < 0 ? make<T>(0, i) : T(first);
            for (int pe = first < 0 ? 1 : 0; pe < (up_to_me ? me + with_me : n); pe++)
                want = join(want, make<T>(pe, i));
            CHECK(dest[i] == want);
        }
        shmem::sync(team);
    }
    shmem::barrier_all();
}

#define OP(name) [](shmem_team_t t, T *d, const T *s, size_t n) { return shmem::name(t, d, s, n); }

template <typename T> void sums(shmem_team_t team)
{
    t_what = __PRETTY_FUNCTION__;
    auto add = [](T a, T b) { return T(a + b); };
    reduced<T>(team, OP(sum_reduce), add, 0);
    reduced<T>(team, OP(prod_reduce), [](T a, T b) { return T(a * b); }, 1);
    reduced<T>(team, OP(sum_inscan), add, 0, true, true);
    reduced<T>(team, OP(sum_exscan), add, 0, true, false);
    t_what = "";
}

template <typename T> void order(shmem_team_t team)
{
    t_what = __PRETTY_FUNCTION__;
    reduced<T>(team, OP(min_reduce), [](T a, T b) { return b < a ? b : a; }, -1);
    reduced<T>(team, OP(max_reduce), [](T a, T b) { return a < b ? b : a; }, -1);
    t_what = "";
}

template <typename T> void bits(shmem_team_t team)
{
    t_what = __PRETTY_FUNCTION__;
    reduced<T>(team, OP(and_reduce), [](T a, T b) { return T(a & b); }, -1);
    reduced<T>(team, OP(or_reduce), [](T a, T b) { return T(a | b); }, -1);
    reduced<T>(team, OP(xor_reduce), [](T a, T b) { return T(a ^ b); }, -1);
    t_what = "";
}

template <typename... T> void each_real(shmem_team_t team) { ((moves<T>(team), sums<T>(team), order<T>(team)), ...); }
template <typename... T> void each_bits(shmem_team_t team) { (bits<T>(team), ...); }

void all(shmem_team_t team)
{
    each_real<float, double, long double, char, signed char, short, int, long, long long, unsigned char, unsigned short,
              unsigned int, unsigned long, unsigned long long>(team);
    each_bits<signed char, short, int, long, long long, unsigned char, unsigned short, unsigned int, unsigned long,
              unsigned long long>(team);
    moves<Pair>(team);
    moves<Wide>(team);
    moves<std::complex<float>>(team);
    moves<std::complex<double>>(team);
    moves<std::complex<long double>>(team);
    sums<std::complex<float>>(team);
    sums<std::complex<double>>(team);
}

} // namespace

int main()
{
    t_init();
    all(SHMEM_TEAM_WORLD);
    {
        shmem::team odd = shmem::team::strided(SHMEM_TEAM_WORLD, t_npes > 1, 2, t_npes > 1 ? t_npes / 2 : 1);
        all(odd);
    }
    return t_done();
}
