/* A PE that waits in MPI_Init is served. The last PE uses another PE's memory for the first time in the job while the
 * others are in MPI_Init, and it enters MPI_Init only when the answer is here. With the argument `again`, OpenSHMEM is
 * initialised again after MPI_Finalize, and PEs use others for the first time in the job then.
 * rules: 265 266 267 */
#include "check.h"

#include <mpi.h>
#include <unistd.h>

static long sum, box;

int main(int argc, char **argv)
{
    t_alarm();
    shmem_init();
    t_begin();
    const int last = t_npes - 1;
    if (argc > 1 && !strcmp(argv[1], "again")) {
        CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
        shmem_finalize();
        CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
        shmem_init();
        for (int pe = 0; pe < t_npes; pe++)
            CHECK_EQ(shmem_long_atomic_fetch_add(&sum, 1, pe) < t_npes, 1);
        shmem_barrier_all();
        CHECK_EQ(sum, t_npes);
        return t_done();
    }
    if (t_me == last) {
        sleep(1); /* most likely the others are in MPI_Init then */
        for (int pe = 0; pe < last; pe++) {
            CHECK_EQ(shmem_long_atomic_fetch_add(&sum, 5, pe), 0);
            shmem_long_p(&box, 7, pe);
        }
        shmem_quiet();
    }
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    shmem_barrier_all();
    CHECK_EQ(sum, t_me == last ? 0 : 5);
    CHECK_EQ(box, t_me == last ? 0 : 7);
    int code = t_done();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return code || t_failures;
}
