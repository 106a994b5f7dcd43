/* An unusable SHMEM_SYMMETRIC_SIZE with shmem_init_thread: a nonzero return or the end of the program, with a message
 * either way; never a silent default.
 * rules: 26 78 */
#include <shmem.h>
#include <stdio.h>

int main(void)
{
    int provided;
    if (shmem_init_thread(SHMEM_THREAD_SINGLE, &provided) != 0)
        return 1;
    puts("initialised in spite of junk");
    shmem_finalize();
    return 0;
}
