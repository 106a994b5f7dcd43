/* shmem.hpp: wait/many by its templates.
 * rules: 6 */
#include "check.h"

#include <shmem.hpp>

#define TEMPLATES
#include "../wait/many.c"
