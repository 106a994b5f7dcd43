/* The smallest OpenSHMEM program with a remote access: every PE leaves its number with its right neighbour.
 *
 *     oshcc hello.c -o hello && oshrun -n 4 ./hello
 */
#include <shmem.h>
#include <stdio.h>

/* A static variable is symmetric: every PE has one, and every PE can write to everyone's. */
static int from = -1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();

    shmem_int_p(&from, me, (me + 1) % n);
    shmem_barrier_all(); /* the put is complete, here and there */

    printf("PE %d of %d: greetings from PE %d\n", me, n, from);
    shmem_finalize();
    return 0;
}
