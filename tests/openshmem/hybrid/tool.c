/* A profiling tool wraps MPI_Init_thread and MPI_Finalize and reaches MPI itself, so that MPI ends there and then:
 * OpenSHMEM's windows and threads are out of it by then, and the process ends in peace. Arguments: which is
 * initialised first, mpi or shmem; `early`: MPI is ended before shmem_finalize. */
#include "check.h"
#include <mpi.h>

static int inits, ends;
static long box;

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int flag, code = 0;
    inits++;
    MPI_Initialized(&flag);
    if (!flag)
        code = PMPI_Init_thread(argc, argv, required, provided);
    return code;
}

int MPI_Finalize(void)
{
    ends++;
    return PMPI_Finalize();
}

int main(int argc, char **argv)
{
    int provided, failed;
    if (argc > 1 && strcmp(argv[1], "mpi") == 0)
        CHECK_EQ(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), 0);
    t_init();
    CHECK_EQ(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), 0);
    shmem_long_p(&box, t_me + 1, t_right());
    shmem_long_atomic_add(&box, 100, t_right());
    shmem_barrier_all();
    CHECK_EQ(box, 100 + (t_me + t_npes - 1) % t_npes + 1);
    if (argc > 2 && strcmp(argv[2], "early") == 0) {
        /* Nothing is under way, but nobody has said so to the library. */
        shmem_init();
        shmem_long_put_nbi(&box, (long[]){77}, 1, t_right());
        CHECK_EQ(MPI_Finalize(), 0);
        CHECK_EQ(box, 77);
        shmem_finalize();
        shmem_finalize();
        if (t_me == 0)
            puts("ok");
        return t_failures != 0 || ends != 1;
    }
    failed = t_done();
    CHECK_EQ(MPI_Finalize(), 0);
    usleep(20000); /* what still ran would call an MPI that has ended */
    return failed || inits < 1 || ends != 1;
}
