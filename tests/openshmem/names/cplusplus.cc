/* The C interface from C++: linkage, handles, by-value long double, statics with constructors, members of objects.
 * rules: 6 7 29 31 140 */
#include "check.h"

#include <string>
#include <vector>

namespace {

struct Counter {
    long value;
    double parts[3];
    Counter() : value(41), parts{1, 2, 3} {}
};

Counter counter; /* constructed before main: statics move at init with the values they have by then */
long double wide;
static int plain = 3;

template <typename T>
struct Box {
    static T inside;
};
template <typename T>
T Box<T>::inside = T(7);

} // namespace

int main()
{
    t_init();
    std::string text = "private";
    std::vector<long> source(100, t_me);
    static long dest[100];

    CHECK_EQ(shmem_long_g(&counter.value, t_right()), 41);
    shmem_barrier_all();
    shmem_long_atomic_inc(&counter.value, t_right());
    shmem_double_p(&counter.parts[1], 2.5, t_right());
    shmem_longdouble_p(&wide, 1.0L / 3.0L, t_right());
    shmem_int_put(&plain, &t_me, 1, t_right());
    shmem_int_p(&Box<int>::inside, 70 + t_me, t_right());
    shmem_long_put(dest, source.data(), source.size(), t_right());
    shmem_barrier_all();
    CHECK_EQ(counter.value, 42);
    CHECK_FEQ(counter.parts[1], 2.5);
    CHECK_FEQ(wide, 1.0L / 3.0L);
    CHECK_FEQ(shmem_longdouble_g(&wide, t_right()), 1.0L / 3.0L);
    CHECK_EQ(plain, t_left());
    CHECK_EQ(Box<int>::inside, 70 + t_left());
    for (long v : dest)
        CHECK_EQ(v, t_left());
    CHECK_EQ(shmem_addr_accessible(text.data(), t_me), 0);
    CHECK_EQ(shmem_addr_accessible(&counter, t_right()), 1);
    return t_done();
}
