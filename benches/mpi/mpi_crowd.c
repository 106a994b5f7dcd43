/* As osu/osu_oshm_crowd, with plain MPI. MPI has no lock like OpenSHMEM's. */
#include "../common/waiting.h"
#include "plain.h"

#define CROWD_ELEMENTS 2

#define ROW(NAME, SHARE, OP) BENCH_CROWD_ROW(NAME, SHARE, MPI_Barrier(MPI_COMM_WORLD), plain_spread, OP)

/* One way round: rank 0 sends the token and has it back, everybody else passes it on. */
static void pass_token(const struct plain_job *j)
{
    long token = 0;
    int right = (j->me + 1) % j->npes, left = (j->me + j->npes - 1) % j->npes;
    if (j->me == 0)
        MPI_Send(&token, 1, MPI_LONG, right, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_LONG, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (j->me != 0)
        MPI_Send(&token, 1, MPI_LONG, right, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct plain_job j = plain_start(argc, argv, NULL, BENCH_CROWD_ITERATIONS);
    int n = CROWD_ELEMENTS;
    int *source = plain_buffer((size_t)n * (size_t)j.npes * sizeof *source);
    int *dest = plain_buffer((size_t)n * (size_t)j.npes * sizeof *dest);
    if (j.me == 0)
        bench_head_crowd("MPI waiting, wall and processor time");
    ROW("barrier", 1, MPI_Barrier(MPI_COMM_WORLD));
    ROW("reduce", 1, MPI_Allreduce(source, dest, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    ROW("fcollect", 1, MPI_Allgather(source, n, MPI_INT, dest, n, MPI_INT, MPI_COMM_WORLD));
    ROW("alltoall", 1, MPI_Alltoall(source, n, MPI_INT, dest, n, MPI_INT, MPI_COMM_WORLD));
    ROW("broadcast+barrier", 1, MPI_Bcast(dest, n, MPI_INT, 0, MPI_COMM_WORLD); MPI_Barrier(MPI_COMM_WORLD));
    ROW("scan+barrier", 1, MPI_Scan(source, dest, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD); MPI_Barrier(MPI_COMM_WORLD));
    ROW("wait", j.npes, pass_token(&j));
    return plain_end();
}
