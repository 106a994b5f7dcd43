/* shmem.hpp: coll/reduce by its templates, also with types that have a sign in bitwise reductions.
 * rules: 6 11 */
#include "check.h"

#include <shmem.hpp>

#define TEMPLATES
#define T_BITS T_TEAM_INTEGER
#define I std::complex<double>(0, 1)
#include "../coll/reduce.c"
