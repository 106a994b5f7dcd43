/* One misuse of started collectives per run, named by the argument: the job must end with one line. */
#include "cases.h"

#include <shmemx.h>

static long a[4], b[4];
static shmemx_req_t req;
#define W SHMEM_TEAM_WORLD

MISUSE_OF_ALL(other_routine)
{
    if (t_me)
        shmemx_sync_nb(W, &req);
    else
        shmemx_long_sum_reduce_nb(W, a, b, 2, &req);
    shmemx_req_wait(&req);
}
MISUSE_OF_ALL(other_size)
{
    shmemx_long_broadcast_nb(W, a, b, t_me ? 3 : 2, 0, &req);
    shmemx_req_wait(&req);
}
MISUSE_OF_ALL(twice)
{
    shmemx_sync_nb(W, &req);
    shmemx_req_wait(&req);
    if (t_me == t_npes - 1)
        shmemx_req_test(&req);
    shmem_barrier_all();
}
MISUSE_OF_ALL(copy)
{
    shmemx_sync_nb(W, &req);
    shmemx_req_t same = req;
    shmemx_req_wait(&req);
    if (t_me == t_npes - 1)
        shmemx_req_wait(&same);
    shmem_barrier_all();
}
MISUSE(null) { shmemx_sync_nb(W, NULL); }
MISUSE(root_high) { shmemx_long_broadcast_nb(W, a, b, 2, t_npes, &req); }
MISUSE(private_dest)
{
    long here[2];
    shmemx_long_sum_reduce_nb(W, here, b, 2, &req);
}
MISUSE(end)
{
    shmemx_sync_nb(W, &req);
    shmem_finalize();
}
MISUSE_OF_ALL(destroyed_team)
{
    shmem_team_t team;
    shmem_team_split_strided(W, 0, 1, t_npes, NULL, 0, &team);
    if (t_me == t_npes - 1) {
        shmemx_sync_nb(team, &req);
        shmem_team_destroy(team);
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    t_init();
    return t_misuse(argc > 1 ? argv[1] : "");
}
