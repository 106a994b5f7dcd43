/* snippet: c99 c11 c17 */
/* Without the attribute the compiler would warn that the end of the function can be reached. */
#include <pshmem.h>

int leave(int status)
{
    shmem_global_exit(status);
}

int leave_shifted(int status)
{
    pshmem_global_exit(status);
}
