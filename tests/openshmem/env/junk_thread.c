/* An unusable SHMEM_SYMMETRIC_SIZE with shmem_init_thread: a nonzero return or the end of the program, with a message
 * either way; never a silent default. With argument `call` the program goes on after it as if there were no failure.
 * rules: 26 78 */
#include <shmem.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int provided;
    (void)argv;
    if (shmem_init_thread(SHMEM_THREAD_SINGLE, &provided) != 0) {
        if (argc == 1)
            return 1;
        printf("one of %d PEs\n", shmem_n_pes());
        return 0;
    }
    puts("initialised in spite of junk");
    shmem_finalize();
    return 0;
}
