/* PEs that differ where they must agree: the heap size, set apart by the rank before init. Somebody must say so,
 * with the numbers, instead of corrupting memory later.
 * rules: U54 */
#include "check.h"

int main(void)
{
    setenv("SHMEM_SYMMETRIC_SIZE", t_launched_as() == 1 ? "32M" : "16M", 1);
    t_init();
    fputs("nobody noticed\n", stderr);
    return t_done();
}
