/* shmem.hpp: amo/typed by its templates, also with types that have a sign in bitwise operations, and on a context of
 * class shmem::context.
 * rules: 6 */
#include "check.h"

#include <shmem.hpp>

/* It is there until the end of the job. */
static shmem::context &context()
{
    static shmem::context &made = *new shmem::context;
    return made;
}
#define CTX context()
#define QUIET() (context().quiet(), shmem::quiet())
#define TEMPLATES
#include "../amo/typed.c"
