/*
 * An MPI program between hosts that knows nothing of us: every process hears from every other, by messages and by a
 * collective. Says how many there are, and on how many hosts.
 *
 * With a number it does not end MPI but asks for the end of the job with this exit code: MPICH 4.0 over TCP does not
 * always get through MPI_Finalize (see docs/design/launcher.md), whoever has started it. With "leave" process 1 returns
 * without a word.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

int main(int argc, char **argv)
{
    int me, n, near, first, hosts, all[MOST], sum = 0;
    MPI_Comm node;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n > MOST)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &near);
    first = near == 0;
    MPI_Allreduce(&first, &hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int far = 1; far < n; far++) {
        int to = (me + far) % n, from = (me + n - far) % n;
        MPI_Sendrecv(&me, 1, MPI_INT, to, far, &all[from], 1, MPI_INT, from, far, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += all[from];
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0) {
        printf("%d processes on %d hosts, sum %d\n", n, hosts, sum);
        fflush(stdout);
    }
    if (me == 1 && argc > 1 && strcmp(argv[1], "leave") == 0)
        return 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1)
        MPI_Abort(MPI_COMM_WORLD, atoi(argv[1]));
    MPI_Finalize();
    return 0;
}
