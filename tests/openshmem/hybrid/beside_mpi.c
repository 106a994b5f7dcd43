/* A PE that waits inside MPI's own barrier is served: another one's AMOs with an answer and its puts complete
 * meanwhile, whoever has initialised MPI at whatever level. What MPI says of its level stays true. Argument: M
 * MPI_Init first, F MPI_Init_thread(FUNNELED) first, S shmem_init first.
 * rules: 47 48 265 267 */
#include "check.h"

#include <mpi.h>

static long sum, box;

int main(int argc, char **argv)
{
    char first = argc > 1 ? argv[1][0] : 'M';
    int asked = first == 'F' ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE, provided = -1, level = -1, code;
    t_alarm();
    if (first == 'S')
        shmem_init();
    if (first == 'F')
        CHECK_EQ(MPI_Init_thread(&argc, &argv, asked, &provided), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    if (first != 'S')
        shmem_init();
    t_begin();
    CHECK_EQ(MPI_Query_thread(&level), MPI_SUCCESS);
    CHECK(level >= asked);
    if (first == 'F')
        CHECK_EQ(provided, level);
    for (long round = 0; round < 3; round++) {
        shmem_barrier_all();
        if (t_me == 0)
            for (int pe = 1; pe < t_npes; pe++)
                CHECK_EQ(shmem_long_atomic_fetch_add(&sum, 1, pe), round);
        MPI_Barrier(MPI_COMM_WORLD);
        if (t_me == 0)
            for (int pe = 1; pe < t_npes; pe++) {
                shmem_long_p(&box, 7 + round, pe);
                shmem_quiet();
            }
        MPI_Barrier(MPI_COMM_WORLD);
        shmem_barrier_all();
        CHECK_EQ(sum, t_me == 0 ? 0 : round + 1);
        CHECK_EQ(box, t_me == 0 ? 0 : round + 7);
    }
    code = t_done();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return code || t_failures;
}
