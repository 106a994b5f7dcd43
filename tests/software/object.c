/* examples/c/hello.c as a function of a shared object, on the heap: variables of shared objects are not symmetric. */
#include <shmem.h>
#include <stdio.h>
int hello(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    int *from = shmem_malloc(sizeof *from);
    shmem_int_p(from, me, (me + 1) % n);
    shmem_barrier_all();
    printf("PE %d of %d: greetings from PE %d\n", me, n, *from);
    shmem_free(from);
    shmem_finalize();
    return 0;
}
