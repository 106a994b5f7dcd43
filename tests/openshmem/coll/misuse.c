/* One misuse of collectives per run, named by the argument: with SHMEM_DEBUG (some without) the job must end with one
 * line. In the first group all PEs call and do not agree; in the second the last PE alone gives a wrong argument while
 * the others wait in a barrier.
 * rules: 180 187 196 205 219 U3 U4 U5 U7 U9 U10 U14 U35 U36 U37 U38 U39 U40 U41 U42 */
#include "cases.h"

#include <pthread.h>

enum { N = 600 };
static long a[4 * N], b[4 * N], work[N], sync_[SHMEM_SYNC_SIZE];
static int last; /* whether this is the last PE */
static long *here; /* private */
#define W SHMEM_TEAM_WORLD

/* All call. */
MISUSE_OF_ALL(other_routine, "shmem_long_fcollect: PE 0 is in another collective of this team")
    { (void)(last ? shmem_long_fcollect(W, a, b, 2) : shmem_long_sum_reduce(W, a, b, 2)); }
MISUSE_OF_ALL(other_operation, "shmem_long_sum_reduce: PE 0 is in another collective")
    { (void)(last ? shmem_long_sum_reduce(W, a, b, N) : shmem_long_max_reduce(W, a, b, N)); }
MISUSE_OF_ALL(other_type, "shmem_int_sum_reduce: PE 0 is in another collective")
    { (void)(last ? shmem_int_sum_reduce(W, (int *)a, (int *)b, 4) : shmem_long_sum_reduce(W, a, b, 2)); }
MISUSE_OF_ALL(sync_and_broadcast, "oshmpi[1]: shmem_team_sync: PE 0 is in another collective")
    { (void)(last ? shmem_team_sync(W) : shmem_long_broadcast(W, a, b, 2, 0)); }
MISUSE_OF_ALL(other_nelems, "shmem_long_fcollect: the number of elements differs")
    { shmem_long_fcollect(W, a, b, last ? 3 : 2); }
MISUSE_OF_ALL(other_nreduce, "shmem_long_sum_reduce: the number of elements differs")
    { shmem_long_sum_reduce(W, a, b, last ? N : 1); }
MISUSE_OF_ALL(other_scan, "shmem_long_sum_inscan: the number of elements differs")
    { shmem_long_sum_inscan(W, a, b, last ? 3 : 2); }
MISUSE_OF_ALL(other_root, "shmem_long_broadcast: the root differs") { shmem_long_broadcast(W, a, b, 2, last); }
MISUSE_OF_ALL(other_dst, "shmem_long_alltoalls: a stride differs")
    { shmem_long_alltoalls(W, a, b, last ? 2 : 1, 1, 2); }
MISUSE_OF_ALL(other_sst, "shmem_long_alltoalls: a stride differs")
    { shmem_long_alltoalls(W, a, b, 1, last ? 3 : 2, 2); }
MISUSE_OF_ALL(other_dest, "shmem_long_sum_reduce: dest differs") { shmem_long_sum_reduce(W, last ? a : a + 1, b, 2); }
MISUSE_OF_ALL(other_source, "shmem_long_alltoall: source differs") { shmem_long_alltoall(W, a, last ? b : b + 2, 2); }

/* All call, but only the last wrongly: the others are ended while they wait. */
MISUSE_OF_ALL(psync_dirty, "shmem_fcollect64: pSync[0] is 1")
{
    sync_[0] = last ? SHMEM_SYNC_VALUE + 1 : SHMEM_SYNC_VALUE;
    shmem_fcollect64(a, b, 2, 0, 0, t_npes, sync_);
}
MISUSE_OF_ALL(psync_null, "shmem_fcollect64: pSync is null")
    { shmem_fcollect64(a, b, 2, 0, 0, t_npes, last ? NULL : sync_); }
MISUSE_OF_ALL(psync_private, "shmem_sync: pSync 0x", "is not symmetric")
    { shmem_sync(0, 0, t_npes, last ? here : sync_); }
MISUSE_OF_ALL(pwrk_null, "shmem_long_sum_to_all: pWrk is null")
    { shmem_long_sum_to_all(a, b, 2, 0, 0, t_npes, last ? NULL : work, sync_); }
MISUSE_OF_ALL(pwrk_private, "shmem_long_sum_to_all: pWrk 0x", "is not symmetric")
    { shmem_long_sum_to_all(a, b, 2, 0, 0, t_npes, last ? here : work, sync_); }

/* The last PE calls alone: what is wrong with its arguments is found before it waits for the others. */
MISUSE(overlap_reduce, "oshmpi[1]: shmem_long_sum_reduce: ") { shmem_long_sum_reduce(W, a, a + 5, 10); }
MISUSE(overlap_scan, "shmem_long_sum_exscan: ") { shmem_long_sum_exscan(W, a, a + 5, 10); }
MISUSE(overlap_broadcast, "shmem_long_broadcast: ") { shmem_long_broadcast(W, a, a + 5, 10, 0); }
MISUSE(overlap_fcollect, "shmem_long_fcollect: ") { shmem_long_fcollect(W, a, a + 12, 10); }
MISUSE(overlap_collect, "shmem_long_collect: ") { shmem_long_collect(W, a, a + 5, 10); }
MISUSE(overlap_alltoall, "shmem_long_alltoall: ") { shmem_long_alltoall(W, a, a + 12, 10); }
MISUSE(overlap_alltoalls, "shmem_long_alltoalls: ") { shmem_long_alltoalls(W, a, a + 25, 2, 1, 10); }
MISUSE(overlap_set, "shmem_long_sum_to_all: ") { shmem_long_sum_to_all(a, a + 5, 10, t_me, 0, 1, work, sync_); }
MISUSE(root_high, "shmem_long_broadcast: PE_root 2 is out of range 0..1") { shmem_long_broadcast(W, a, b, 2, t_npes); }
MISUSE(root_low, "shmem_long_broadcast: PE_root -1 is out of range 0..1") { shmem_long_broadcast(W, a, b, 2, -1); }
MISUSE(root_of_set, "shmem_broadcast64: PE_root 1 is out of range 0..0")
    { shmem_broadcast64(a, b, 2, 1, t_npes - 1, 0, 1, sync_); }
MISUSE(dest_private, "shmem_long_fcollect: dest 0x", "is not symmetric") { shmem_long_fcollect(W, here, b, 1); }
MISUSE(source_private, "shmem_long_sum_reduce: source 0x", "is not symmetric") { shmem_long_sum_reduce(W, a, here, 2); }
MISUSE(source_of_scan, "shmem_long_sum_inscan: source 0x", "is not symmetric") { shmem_long_sum_inscan(W, a, here, 2); }
MISUSE(source_of_alltoall, "shmem_long_alltoall: source 0x", "is not symmetric") { shmem_long_alltoall(W, a, here, 2); }
MISUSE(dest_null, "shmem_long_broadcast: dest is null") { shmem_long_broadcast(W, NULL, b, 2, 0); }
MISUSE(source_null, "shmem_long_collect: source is null") { shmem_long_collect(W, a, NULL, 2); }
MISUSE(dest_end, "shmem_long_fcollect: dest 0x", "runs past the end") { shmem_long_fcollect(W, a, b, (size_t)1 << 40); }
MISUSE(stride_zero, "shmem_long_alltoalls: dst is 0") { shmem_long_alltoalls(W, a, b, 0, 1, 2); }
MISUSE(stride_low, "shmem_long_alltoalls: sst is -1") { shmem_long_alltoalls(W, a, b, 1, -1, 2); }
MISUSE(outside, "shmem_sync: active set", "PE 1 is not a member") { shmem_sync(0, 0, 1, sync_); }
MISUSE(outside_reduce, "shmem_long_sum_to_all: active set", "PE 1 is not a member")
    { shmem_long_sum_to_all(a, b, 2, 0, 0, 1, work, sync_); }
MISUSE(outside_alltoall, "shmem_alltoall32: active set", "PE 1 is not a member")
    { shmem_alltoall32(a, b, 2, 0, 0, 1, sync_); }
MISUSE(set_high, "shmem_barrier: active set", "reaches beyond PE 1") { shmem_barrier(0, 0, t_npes + 1, sync_); }
MISUSE(set_stride, "shmem_barrier: active set", "reaches beyond PE 1") { shmem_barrier(0, 31, 2, sync_); }
MISUSE(set_low, "shmem_collect32: active set (PE_start -1") { shmem_collect32(a, b, 2, -1, 0, 2, sync_); }
MISUSE(set_log, "shmem_fcollect32: active set", "logPE_stride -1") { shmem_fcollect32(a, b, 2, 0, -1, 2, sync_); }
MISUSE(set_empty, "shmem_sync: active set", "PE_size 0") { shmem_sync(0, 0, 0, sync_); }
MISUSE(count_low, "shmem_long_sum_to_all: nreduce is -1")
    { shmem_long_sum_to_all(a, b, -1, 0, 0, t_npes, work, sync_); }

/* Two threads of the last PE in collectives of one team, until somebody complains or 3 seconds are over. */
T_THREAD(enter, shmem_team_sync(*(shmem_team_t *)arg))
T_THREAD(enter_all, shmem_barrier_all())
T_THREAD(enter_split, shmem_team_split_strided(*(shmem_team_t *)arg, 0, 1, 1, NULL, 0, &(shmem_team_t){W}))
T_THREAD(enter_destroy, shmem_team_destroy(*(shmem_team_t *)arg))
static void by_two(void *(*act)(void *), void *arg)
{
    pthread_t threads[2];
    if (last)
        for (int t = 0; t < 2; t++)
            pthread_create(&threads[t], NULL, act, arg);
    sleep(3);
    fputs("the misuse went through\n", stderr);
    exit(0);
}
MISUSE_OF_ALL(split_and_destroy, "shmem_team_destroy: PE 0 is in another collective of this team")
{
    shmem_team_t team, other;
    shmem_team_split_strided(W, 0, 1, t_npes, NULL, 0, &team);
    if (last)
        shmem_team_destroy(team);
    else
        shmem_team_split_strided(team, 0, 1, 1, NULL, 0, &other);
}
MISUSE_OF_ALL(split_and_split_2d, "shmem_team_split_2d: PE 0 is in another collective of this team")
{
    shmem_team_t team, other;
    if (last)
        shmem_team_split_2d(W, 1, NULL, 0, &team, NULL, 0, &other);
    else
        shmem_team_split_strided(W, 0, 1, 1, NULL, 0, &team);
}
MISUSE_OF_ALL(two_threads, "shmem_team_sync: ")
{
    static shmem_team_t team;
    shmem_team_split_strided(W, 0, 1, t_npes, NULL, 0, &team);
    by_two(enter, &team);
}
MISUSE_OF_ALL(two_threads_of_all, "shmem_barrier_all: ") { by_two(enter_all, NULL); }
MISUSE_OF_ALL(two_splits, "shmem_team_split_strided: ")
{
    static shmem_team_t world = W;
    by_two(enter_split, &world);
}
MISUSE_OF_ALL(two_destroys, "shmem_team_destroy: ")
{
    static shmem_team_t team;
    shmem_team_split_strided(W, 0, 1, t_npes, NULL, 0, &team);
    by_two(enter_destroy, &team);
}

int main(int argc, char **argv)
{
    long on_stack[SHMEM_SYNC_SIZE * 4] = {0};
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    here = on_stack;
    last = t_me == t_npes - 1;
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_[i] = on_stack[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    return t_misuse(argc > 1 ? argv[1] : "");
}
