/* One misuse of started collectives per run, named by the argument: the job must end with one line. */
#include "cases.h"

#include <shmemx.h>

static long a[4], b[4];
static shmemx_req_t req;
#define W SHMEM_TEAM_WORLD

MISUSE_OF_ALL(other_routine, "has started another collective of this team at this place")
{
    if (t_me)
        shmemx_sync_nb(W, &req);
    else
        shmemx_long_sum_reduce_nb(W, a, b, 2, &req);
    shmemx_req_wait(&req);
}
MISUSE_OF_ALL(other_size, "or this one with another size or root")
{
    shmemx_long_broadcast_nb(W, a, b, t_me ? 3 : 2, 0, &req);
    shmemx_req_wait(&req);
}
MISUSE_OF_ALL(twice, "shmemx_req_test: req is SHMEMX_REQ_INVALID")
{
    shmemx_sync_nb(W, &req);
    shmemx_req_wait(&req);
    if (t_me == t_npes - 1)
        shmemx_req_test(&req);
    shmem_barrier_all();
}
MISUSE_OF_ALL(copy, "is not under way: is it a copy?")
{
    shmemx_sync_nb(W, &req);
    shmemx_req_t same = req;
    shmemx_req_wait(&req);
    if (t_me == t_npes - 1)
        shmemx_req_wait(&same);
    shmem_barrier_all();
}
MISUSE(null, "shmemx_sync_nb: req is null") { shmemx_sync_nb(W, NULL); }
MISUSE(root_high, "PE_root 2 is out of range 0..1") { shmemx_long_broadcast_nb(W, a, b, 2, t_npes, &req); }
MISUSE(private_dest, "shmemx_long_sum_reduce_nb: dest")
{
    long here[2];
    shmemx_long_sum_reduce_nb(W, here, b, 2, &req);
}
MISUSE(end, "shmem_finalize: collectives that were started and are not complete: 1")
{
    shmemx_sync_nb(W, &req);
    shmem_finalize();
}
MISUSE_OF_ALL(destroyed_team, "shmem_team_destroy: collectives of the team that were started and are not complete: 1")
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
