/* shmem.hpp: wait/scalar by its templates.
 * rules: 6 */
#include "check.h"

#include <shmem.hpp>

#define TEMPLATES
#include "../wait/scalar.c"
