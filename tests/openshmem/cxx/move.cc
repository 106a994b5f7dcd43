/* shmem.hpp: puts, gets, strides, blocks and signals of every kind of type: with a routine of its own, std::complex,
 * structures, enumerations, types without a default constructor; with and without a context.
 * rules: 6 */
#include "check.h"

#include <shmem.hpp>

#include <array>
#include <vector>

namespace {

struct Point {
    float x, y, z; /* 12 bytes, aligned to 4 */
    bool operator==(const Point &o) const { return x == o.x && y == o.y && z == o.z; }
};
enum class Colour : short { red = 1, green = 200 };

/* The k-th value of a type on a PE. */
template <typename T> T make(int pe, int k)
{
    if constexpr (std::is_same_v<T, Point>)
        return Point{float(pe), float(k), float(pe * k)};
    else if constexpr (std::is_same_v<T, Colour>)
        return (pe + k) % 2 ? Colour::red : Colour::green;
    else if constexpr (std::is_same_v<T, std::array<char, 3>>)
        return {char(pe), char(k), char(pe + k)};
    else if constexpr (shmem::detail::is_complex<T>::value)
        return T(pe, k);
    else
        return T(pe * 7 + k);
}

constexpr int N = 40;

/* An operation on the context of the loop or on the default one. */
#define ON(OP, ...) (with ? shmem::OP(ctx, __VA_ARGS__) : shmem::OP(__VA_ARGS__))

template <typename T> void all()
{
    t_what = __PRETTY_FUNCTION__;
    const int right = t_right(), left = t_left();
    shmem::context ctx;
    for (bool with : {false, true}) {
        shmem::symmetric<T> box(N), mine(N), one(2);
        std::vector<T> got(N);
        for (int i = 0; i < N; i++)
            mine[i] = make<T>(t_me, i);
        shmem::barrier_all();

        ON(put, box.data(), mine.data(), 10, right);
        ON(put_nbi, &box[10], &mine[10], 10, right);
        /* Elements 20, 22 .. 28 from 20 .. 24; blocks of 2 at 30, 33, 36 from 30, 34, 38. */
        ON(iput, &box[20], &mine[20], 2, 1, 5, right);
        ON(ibput, &box[30], &mine[30], 3, 4, 2, 3, right);
        ON(p, &one[0], mine[3], right);
        with ? ctx.quiet() : shmem::quiet();
        shmem::barrier_all();
        for (int i = 0; i < 20; i++)
            CHECK(box[i] == make<T>(left, i));
        for (int i = 0; i < 5; i++)
            CHECK(box[20 + 2 * i] == make<T>(left, 20 + i));
        CHECK(box[21] == T{});
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < 2; i++)
                CHECK(box[30 + 3 * b + i] == make<T>(left, 30 + 4 * b + i));
        CHECK(box[32] == T{});
        CHECK(one[0] == make<T>(left, 3));

        const T *source = mine.data();
        CHECK(ON(g, source + 5, right) == make<T>(right, 5));
        ON(get, got.data(), source, 10, right);
        ON(get_nbi, &got[10], source + 10, 10, right);
        ON(iget, &got[20], source + 20, 1, 2, 5, right);
        ON(ibget, &got[30], source + 30, 2, 3, 2, 3, right);
        with ? ctx.quiet() : shmem::quiet();
        for (int i = 0; i < 20; i++)
            CHECK(got[i] == make<T>(right, i));
        for (int i = 0; i < 5; i++)
            CHECK(got[20 + i] == make<T>(right, 20 + 2 * i));
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < 2; i++)
                CHECK(got[30 + 2 * b + i] == make<T>(right, 30 + 3 * b + i));

        shmem::symmetric<uint64_t> signal(2);
        shmem::barrier_all();
        ON(put_signal, &box[0], &mine[1], 1, &signal[0], 5, shmem::signal_op::set, right);
        ON(put_signal_nbi, &box[1], &mine[2], 1, &signal[1], 6, shmem::signal_op::add, right);
        CHECK_EQ(shmem::signal_wait_until(&signal[0], shmem::cmp::eq, 5), 5);
        CHECK_EQ(shmem::signal_wait_until(&signal[1], shmem::cmp::ge, 6), 6);
        CHECK(box[0] == make<T>(left, 1) && box[1] == make<T>(left, 2));
        with ? ctx.quiet() : shmem::quiet();
        shmem::barrier_all();
        ON(signal_set, &signal[0], 9, right);
        ON(signal_add, &signal[1], 3, right);
        with ? ctx.quiet() : shmem::quiet();
        shmem::barrier_all();
        CHECK_EQ(shmem::signal_fetch(&signal[0]), 9);
        CHECK_EQ(shmem::signal_fetch(&signal[1]), 9);
        shmem::barrier_all();
    }
    t_what = "";
}

/* Made from a value only, and with a member that cannot be assigned. */
struct Made {
    explicit Made(int x) : x(x), twice(2 * x) {}
    int x;
    const int twice;
};

void no_default()
{
    shmem::context ctx;
    shmem::symmetric<Made> box(2);
    shmem::p(&box[0], Made(t_me + 1), t_right());
    shmem::p(ctx, &box[1], Made(t_me + 2), t_right());
    ctx.quiet();
    shmem::barrier_all();
    CHECK(box[0].x == t_left() + 1 && box[0].twice == 2 * t_left() + 2);
    const Made first = shmem::g(&box[0], t_right());
    const Made second = shmem::g(ctx, &box[1], t_right());
    CHECK(first.x == t_me + 1 && first.twice == 2 * t_me + 2);
    CHECK(second.x == t_me + 2 && second.twice == 2 * t_me + 4);
    shmem::barrier_all();
}

template <typename... T> void each() { (all<T>(), ...); }

} // namespace

int main()
{
    t_init();
    each<float, double, long double, char, signed char, short, int, long, long long, unsigned char, unsigned short,
         unsigned int, unsigned long, unsigned long long>();
    each<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, size_t, ptrdiff_t>();
    each<std::complex<float>, std::complex<double>, std::complex<long double>, Point, Colour, std::array<char, 3>>();
    no_default();
    return t_done();
}
