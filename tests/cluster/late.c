/* Does an MPI complete a receive that is posted after its message has come from another host? Plain MPI calls, two
 * processes on two hosts. Arguments: thread level asked for (0 to 3), and "given" where the receive names its
 * source. Exit code 1: not completed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 5, OTHER_TAG = 99 };

int main(int argc, char **argv)
{
    const int level = argc > 1 ? atoi(argv[1]) : MPI_THREAD_SINGLE, given = argc > 2;
    int me, provided, value = 7, got = 0, done = 0;
    MPI_Request request;
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0)
        MPI_Send(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    if (me == 1) {
        /* the message comes in, and nobody asks for it */
        for (double end = MPI_Wtime() + 1; MPI_Wtime() < end;) {
            int flag;
            MPI_Iprobe(MPI_ANY_SOURCE, OTHER_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        MPI_Irecv(&got, 1, MPI_INT, given ? 0 : MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
        for (double end = MPI_Wtime() + 3; !done && MPI_Wtime() < end;)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        printf("thread level %d: %s, value %d\n", provided, done ? "received" : "not completed after 3 s", got);
        fflush(stdout);
        if (!done)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
