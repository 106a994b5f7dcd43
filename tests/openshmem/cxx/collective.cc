/* shmem.hpp: coll/move by its templates, also with types that have no routine of their own.
 * rules: 6 11 */
#include "check.h"

#include <shmem.hpp>

struct Pair {
    double a;
    int b;
};
/* Aligned to more than any C type. */
struct alignas(32) Wide {
    double a;
    int b;
};

#define TEMPLATES
#define T_MOVED(X)                                       \
    T_RMA(X)                                             \
    T_ASET_COMPLEX(X)                                    \
    X(complexl, std::complex<long double>, )             \
    X(pair, Pair, )                                      \
    X(wide, Wide, )
#include "../coll/move.c"
