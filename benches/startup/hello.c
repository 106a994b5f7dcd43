/*
 * The shortest parallel program: it starts, says who it is, and ends. One source, two programs: plainly an MPI program,
 * with -DWITH_SHMEM an OpenSHMEM one, which does not initialise MPI.
 */
#include <stdio.h>
#ifdef WITH_SHMEM
#include <shmem.h>
int main(void)
{
    shmem_init();
    printf("%d of %d\n", shmem_my_pe(), shmem_n_pes());
    shmem_finalize();
    return 0;
}
#else
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    printf("%d of %d\n", me, n);
    MPI_Finalize();
    return 0;
}
#endif
