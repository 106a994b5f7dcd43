/* Ways out of a program in which OpenSHMEM and perhaps MPI have been up. The first argument spells what all PEs do
 * (letters as in order.c), then:
 *   early       PE 0 exits with 0 at once, the others later: it must not take them along
 *   last N      the last PE exits with N, the others with 0: the launcher reports N
 *   handler     MPI_Finalize comes from an exit handler that was registered before all
 *   child       a child made by fork() exits; then all PEs initialise and finalise MPI
 *   behind      the PE is no child of the launcher, as behind a script. OpenSHMEM, up at the end of the letters, stays
 *               so for some time after MPI has closed the launcher's connection
 * rules: 65 66 */
#define T_NO_STATICS
#include "check.h"

#include <mpi.h>
#include <sys/wait.h>

static void finalize_mpi(void) { MPI_Finalize(); }

static void fork_and_wait(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        exit(0); /* with all handlers */
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "the child ended with status 0x%x\n", (unsigned)status);
        exit(1);
    }
}

/* Returns in a child alone, and ends as the child does. */
static void stand_between(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        return;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        fprintf(stderr, "the PE ended with status 0x%x\n", (unsigned)status);
        exit(1);
    }
    exit(WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    const char *order = argc > 1 ? argv[1] : "Ss", *way = argc > 2 ? argv[2] : "early";
    int me = 0, n = 1;
    if (!strcmp(way, "behind"))
        stand_between();
    t_alarm();
    if (!strcmp(way, "handler"))
        atexit(finalize_mpi);
    for (const char *c = order; *c; c++) {
        switch (*c) {
        case 'M': MPI_Init(&argc, &argv); break;
        case 'S': shmem_init(), me = shmem_my_pe(), n = shmem_n_pes(); break;
        case 's': shmem_barrier_all(), shmem_finalize(); break;
        case 'm': MPI_Finalize(); break;
        default: fprintf(stderr, "bad letter %c\n", *c); return 2;
        }
    }
    if (!strcmp(way, "child")) {
        fork_and_wait();
        MPI_Init(&argc, &argv);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    }
    if (!strcmp(way, "behind")) {
        usleep(2000000);
        shmem_barrier_all();
        shmem_finalize();
    }
    if (me == n - 1 && !strcmp(way, "last")) {
        puts("ok");
        fflush(stdout);
        usleep(200000); /* the launcher has passed on the line by then */
        exit(argc > 3 ? atoi(argv[3]) : 3);
    }
    if (me != 0 && !strcmp(way, "early"))
        usleep(500000);
    if (me == n - 1 && strcmp(way, "last"))
        puts("ok");
    return 0;
}
