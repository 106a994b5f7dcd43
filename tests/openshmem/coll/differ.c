/* Collectives of one team that differ between PEs, without SHMEM_DEBUG: on one node the last PE, which differs, says
 * so. If it is the first PE or a root that differs, all others find it, and one of them says so, however long that
 * one needs to end the job. Arguments: what differs, the number of elements, and whether the PEs' outputs are stuck.
 * rules: U35 U36 */
#include "check.h"
#include <unistd.h>

enum { MOST = 1 << 16 };

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const size_t n = argc > 2 ? (size_t)atol(argv[2]) : 4;
    t_init();
    const int last = t_me == t_npes - 1;
    const size_t mine = last ? n / 2 : n;
    long *source = t_malloc(MOST * sizeof *source), *dest = t_malloc(MOST * sizeof *dest);
    if (argc > 3) { /* a PE that ends the job waits for its output in vain */
        int ends[2];
        CHECK(pipe(ends) == 0 && dup2(ends[1], 1) == 1);
        CHECK(write(1, source, 1 << 16) == 1 << 16);
        printf("kept");
    }
    /* what has come before must not be taken for what comes now */
    for (int i = 0; i < 5; i++) {
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, n);
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, n, 0);
    }
    if (!strcmp(what, "reduce"))
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, mine);
    else if (!strcmp(what, "broadcast"))
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, mine, 0);
    else if (!strcmp(what, "fcollect"))
        shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, mine);
    else if (!strcmp(what, "alltoall"))
        shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, mine);
    else if (!strcmp(what, "scan"))
        shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, source, mine);
    else if (!strcmp(what, "first"))
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, t_me == 0 ? n / 2 : n);
    else if (!strcmp(what, "root"))
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, t_me == 1 ? n / 2 : n, 1);
    else if (!strcmp(what, "kind") && last)
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, n);
    else if (!strcmp(what, "kind"))
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, n, 0);
    else if (!strcmp(what, "barrier") && last)
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, n);
    else if (!strcmp(what, "barrier"))
        shmem_barrier_all();
    shmem_barrier_all();
    return t_done();
}
