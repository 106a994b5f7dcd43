/* On one node, and between nodes over UCX, MPI is left alone: after shmem_init it is initialised (argument `1`) or not
 * (`0`), as launcher and settings have it. MPI's clock works all the same. Without MPI the process has no thread but
 * its own, or as many as a second argument says: the library of a launcher that speaks PMIx has one. A third argument
 * says how many the first PE of a node has.
 * rules: 57 */
#define T_NO_STATICS
#include "check.h"

#include <dirent.h>
#include <mpi.h>

static int threads(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    while (tasks != NULL && (entry = readdir(tasks)) != NULL)
        n += entry->d_name[0] != '.';
    if (tasks != NULL)
        closedir(tasks);
    return n;
}

int main(int argc, char **argv)
{
    int wanted = argc > 1 ? atoi(argv[1]) : 0, own = argc > 2 ? atoi(argv[2]) : 1, flag = -1;
    double begun, t;
    t_alarm();
    begun = MPI_Wtime();
    shmem_init();
    t_begin();
    MPI_Initialized(&flag);
    CHECK_EQ(!!flag, wanted);
    if (argc > 3 && shmem_team_my_pe(SHMEM_TEAM_SHARED) == 0)
        own = atoi(argv[3]);
    if (!wanted)
        CHECK_EQ(threads(), own);
    t = MPI_Wtime();
    usleep(20000);
    CHECK(MPI_Wtime() - t > 0.019 && t > begun && MPI_Wtime() - begun < 100);
    MPI_Finalized(&flag);
    CHECK_EQ(flag, 0);
    return t_done();
}
