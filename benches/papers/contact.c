/*
 * The memory of a process after contact with others, in KiB on one line per process: what is the process's own, without
 * files and shared memory. One source, two programs: plainly an MPI program, with -DWITH_SHMEM an OpenSHMEM one.
 *
 * usage: contact none       start and end
 *        contact reduce     one reduction of all
 *        contact teams      TEAMS teams of all (MPI: communicators), which stay
 *        contact ring       a put to the next PE
 *        contact all        a put to every PE and a get from it (MPI: MPI_Sendrecv with every process)
 */
#include "../common/bench.h"
#include "../common/memory.h"

enum { TEAMS = 64 };

#ifdef WITH_SHMEM
#include <shmem.h>

static int from, to;

static void make_contact(const char *how, int me, int n)
{
    static shmem_team_t teams[TEAMS];
    if (strcmp(how, "reduce") == 0)
        shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
    for (int i = 0; strcmp(how, "teams") == 0 && i < TEAMS; i++)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &teams[i]);
    if (strcmp(how, "ring") == 0)
        shmem_int_p(&to, me, (me + 1) % n);
    for (int i = 1; strcmp(how, "all") == 0 && i < n; i++) {
        shmem_int_p(&to, me, (me + i) % n);
        (void)shmem_int_g(&from, (me + i) % n);
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    shmem_init();
    make_contact(argc > 1 ? argv[1] : "none", shmem_my_pe(), shmem_n_pes());
    printf("%ld\n", memory_now().anonymous);
    fflush(stdout);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
#else
#include <mpi.h>

static void make_contact(const char *how, int me, int n)
{
    static MPI_Comm teams[TEAMS];
    int from = 0, to;
    if (strcmp(how, "reduce") == 0)
        MPI_Allreduce(&from, &to, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; strcmp(how, "teams") == 0 && i < TEAMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &teams[i]);
    for (int i = 1; strcmp(how, "all") == 0 && i < n; i++)
        MPI_Sendrecv(&me, 1, MPI_INT, (me + i) % n, 0, &to, 1, MPI_INT, (me + n - i) % n, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    if (strcmp(how, "none") != 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int me, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    make_contact(argc > 1 ? argv[1] : "none", me, n);
    printf("%ld\n", memory_now().anonymous);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
#endif
