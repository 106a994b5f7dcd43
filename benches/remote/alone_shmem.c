/*
 * OpenSHMEM calls to a PE of another node, in a program that does nothing else. PE 0 works on the
 * first PE of the second half; all others wait in a barrier. To be compared with alone_mpi.
 *
 * usage: alone_shmem [-m MIN:MAX] [-i ITERATIONS]
 * Columns: operation, bytes, microseconds (median of batches).
 */
#include "ours.h"
#include "timed.h"

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, NULL, 200);
    ours_open(argv[0], LARGEST);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        for (size_t n = o.min < 8 ? 8 : o.min; n <= o.max; n *= 16) {
            long times = times_of(n, o.iterations);
            row_alone("put+quiet", n, times, put_quiet);
            row_alone("get", n, times, get);
        }
        row_alone("fetch_add", 8, o.iterations, fetch_add);
        row_alone("compare_swap", 8, o.iterations, compare_swap);
        row_alone("add+quiet", 8, o.iterations, add_quiet);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
