/* OpenSHMEM and MPI in one program. What it shows: both can be initialised and finalized in any order, a put tells the
 * rank of a PE, and both move data.
 *
 * The number pi: each PE integrates a part of 4 / (1 + x^2); the parts are added once with atomics and once with
 * MPI_Allreduce.
 *
 *     oshcc hybrid.c -o hybrid -lm && oshrun -n 4 ./hybrid
 */
#include <math.h>
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>

enum { STEPS = 1 << 20 };

/* AMOs that add exist for integers only, so the parts are added in units of 2^-52. */
static long long sum;
static int rank_of_pe0 = -1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    shmem_init();
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int me = shmem_my_pe(), n = shmem_n_pes();

    double part = 0;
    for (int i = me; i < STEPS; i += n) {
        const double x = (i + 0.5) / STEPS;
        part += 4 / (1 + x * x) / STEPS;
    }

    shmem_atomic_add(&sum, llround(ldexp(part, 52)), 0);
    shmem_barrier_all();
    const double by_shmem = ldexp((double)shmem_atomic_fetch(&sum, 0), -52);

    double by_mpi;
    MPI_Allreduce(&part, &by_mpi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

    /* PE p need not be rank p, so PE 0 tells all PEs its rank. That rank is then the root of an MPI call. */
    if (me == 0)
        for (int pe = 0; pe < n; pe++)
            shmem_p(&rank_of_pe0, rank, pe);
    shmem_barrier_all();
    int root_is_pe0 = me == 0;
    MPI_Bcast(&root_is_pe0, 1, MPI_INT, rank_of_pe0, MPI_COMM_WORLD);

    const double pi = 3.14159265358979323846;
    const int mine = fabs(by_shmem - pi) > 1e-10 || fabs(by_mpi - pi) > 1e-10 || ranks != n || !root_is_pe0;
    int failed;
    MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0)
        printf("%s: pi is %.10f by atomics, %.10f by MPI_Allreduce, on %d PEs\n", failed ? "WRONG" : "ok", by_shmem,
               by_mpi, n);
    shmem_finalize();
    MPI_Finalize();
    return failed;
}
