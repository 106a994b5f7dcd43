/* One way of a message between the lower and the upper half of the ranks, all pairs at once: MPI_Send and MPI_Recv. */
#include "../common/waiting.h"
#include "plain.h"

int main(int argc, char **argv)
{
    struct plain_job j = plain_start(argc, argv, NULL, BENCH_PINGPONG_ITERATIONS);
    if (j.npes < 2 || j.npes % 2 != 0) {
        if (j.me == 0)
            fprintf(stderr, "%s: needs an even number of ranks, has %d\n", argv[0], j.npes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int pairs = j.npes / 2, active = j.me < pairs, peer = active ? j.me + pairs : j.me - pairs;
    void *out = plain_buffer(j.options.max), *in = plain_buffer(j.options.max);
    if (j.me == 0)
        bench_head_spread("MPI send and receive latency");
    for (size_t size = bench_first(&j.options, BENCH_STEP_MIN); size <= j.options.max; size *= BENCH_STEP)
        BENCH_PINGPONG_ROW(size, active, MPI_Barrier(MPI_COMM_WORLD), plain_spread,
                           MPI_Send(out, (int)size, MPI_CHAR, peer, 0, MPI_COMM_WORLD),
                           MPI_Recv(in, (int)size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return plain_end();
}
