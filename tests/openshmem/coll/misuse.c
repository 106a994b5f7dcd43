/* One misuse of collectives per run, named by the argument: with SHMEM_DEBUG (some without) the job must end with one
 * line. In the first group all PEs call and do not agree; in the second the last PE alone gives a wrong argument while
 * the others wait in a barrier. tests.list has the sentence for each.
 * rules: 180 187 196 205 219 U3 U4 U5 U7 U9 U10 U14 U35 U36 U37 U38 U39 U40 U41 U42 */
#include "check.h"

#include <pthread.h>

enum { N = 600 };
static long a[4 * N], b[4 * N], work[N], sync_[SHMEM_SYNC_SIZE];
static int last; /* whether this is the last PE */
static long *here; /* private */
#define W SHMEM_TEAM_WORLD

/* All call. */
static void other_routine(void)
{
    if (last)
        shmem_long_fcollect(W, a, b, 2);
    else
        shmem_long_sum_reduce(W, a, b, 2);
}
static void other_operation(void)
{
    if (last)
        shmem_long_sum_reduce(W, a, b, N);
    else
        shmem_long_max_reduce(W, a, b, N);
}
static void other_type(void)
{
    if (last)
        shmem_int_sum_reduce(W, (int *)a, (int *)b, 4);
    else
        shmem_long_sum_reduce(W, a, b, 2);
}
static void sync_and_broadcast(void)
{
    if (last)
        shmem_team_sync(W);
    else
        shmem_long_broadcast(W, a, b, 2, 0);
}
static void other_nelems(void) { shmem_long_fcollect(W, a, b, last ? 3 : 2); }
static void other_nreduce(void) { shmem_long_sum_reduce(W, a, b, last ? N : 1); }
static void other_scan(void) { shmem_long_sum_inscan(W, a, b, last ? 3 : 2); }
static void other_root(void) { shmem_long_broadcast(W, a, b, 2, last); }
static void other_dst(void) { shmem_long_alltoalls(W, a, b, last ? 2 : 1, 1, 2); }
static void other_sst(void) { shmem_long_alltoalls(W, a, b, 1, last ? 3 : 2, 2); }
static void other_dest(void) { shmem_long_sum_reduce(W, last ? a : a + 1, b, 2); }
static void other_source(void) { shmem_long_alltoall(W, a, last ? b : b + 2, 2); }

/* All call, but only the last wrongly: the others are ended while they wait. */
static void psync_dirty(void)
{
    sync_[0] = last ? SHMEM_SYNC_VALUE + 1 : SHMEM_SYNC_VALUE;
    shmem_fcollect64(a, b, 2, 0, 0, t_npes, sync_);
}
static void psync_null(void) { shmem_fcollect64(a, b, 2, 0, 0, t_npes, last ? NULL : sync_); }
static void psync_private(void) { shmem_sync(0, 0, t_npes, last ? here : sync_); }
static void pwrk_null(void) { shmem_long_sum_to_all(a, b, 2, 0, 0, t_npes, last ? NULL : work, sync_); }
static void pwrk_private(void) { shmem_long_sum_to_all(a, b, 2, 0, 0, t_npes, last ? here : work, sync_); }

/* The last PE calls alone: what is wrong with its arguments is found before it meets the others. */
static void overlap_reduce(void) { shmem_long_sum_reduce(W, a, a + 5, 10); }
static void overlap_scan(void) { shmem_long_sum_exscan(W, a, a + 5, 10); }
static void overlap_broadcast(void) { shmem_long_broadcast(W, a, a + 5, 10, 0); }
static void overlap_fcollect(void) { shmem_long_fcollect(W, a, a + 12, 10); }
static void overlap_collect(void) { shmem_long_collect(W, a, a + 5, 10); }
static void overlap_alltoall(void) { shmem_long_alltoall(W, a, a + 12, 10); }
static void overlap_alltoalls(void) { shmem_long_alltoalls(W, a, a + 25, 2, 1, 10); }
static void overlap_set(void) { shmem_long_sum_to_all(a, a + 5, 10, t_me, 0, 1, work, sync_); }
static void root_high(void) { shmem_long_broadcast(W, a, b, 2, t_npes); }
static void root_low(void) { shmem_long_broadcast(W, a, b, 2, -1); }
static void root_of_set(void) { shmem_broadcast64(a, b, 2, 1, t_npes - 1, 0, 1, sync_); }
static void dest_private(void) { shmem_long_fcollect(W, here, b, 1); }
static void source_private(void) { shmem_long_sum_reduce(W, a, here, 2); }
static void source_of_scan(void) { shmem_long_sum_inscan(W, a, here, 2); }
static void source_of_alltoall(void) { shmem_long_alltoall(W, a, here, 2); }
static void dest_null(void) { shmem_long_broadcast(W, NULL, b, 2, 0); }
static void source_null(void) { shmem_long_collect(W, a, NULL, 2); }
static void dest_end(void) { shmem_long_fcollect(W, a, b, (size_t)1 << 40); }
static void stride_zero(void) { shmem_long_alltoalls(W, a, b, 0, 1, 2); }
static void stride_low(void) { shmem_long_alltoalls(W, a, b, 1, -1, 2); }
static void outside(void) { shmem_sync(0, 0, 1, sync_); }
static void outside_reduce(void) { shmem_long_sum_to_all(a, b, 2, 0, 0, 1, work, sync_); }
static void outside_alltoall(void) { shmem_alltoall32(a, b, 2, 0, 0, 1, sync_); }
static void set_high(void) { shmem_barrier(0, 0, t_npes + 1, sync_); }
static void set_stride(void) { shmem_barrier(0, 31, 2, sync_); }
static void set_low(void) { shmem_collect32(a, b, 2, -1, 0, 2, sync_); }
static void set_log(void) { shmem_fcollect32(a, b, 2, 0, -1, 2, sync_); }
static void set_empty(void) { shmem_sync(0, 0, 0, sync_); }
static void count_low(void) { shmem_long_sum_to_all(a, b, -1, 0, 0, t_npes, work, sync_); }

/* Two threads of the last PE in collectives of one team, until somebody complains or 3 seconds are over. */
static void *enter(void *arg)
{
    shmem_team_sync(*(shmem_team_t *)arg);
    return NULL;
}
static void *enter_all(void *arg)
{
    shmem_barrier_all();
    return arg;
}
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
static void split_and_destroy(void)
{
    shmem_team_t team, other;
    shmem_team_split_strided(W, 0, 1, t_npes, NULL, 0, &team);
    if (last)
        shmem_team_destroy(team);
    else
        shmem_team_split_strided(team, 0, 1, 1, NULL, 0, &other);
}
static void split_and_split_2d(void)
{
    shmem_team_t team, other;
    if (last)
        shmem_team_split_2d(W, 1, NULL, 0, &team, NULL, 0, &other);
    else
        shmem_team_split_strided(W, 0, 1, 1, NULL, 0, &team);
}
static void two_threads(void)
{
    static shmem_team_t team;
    shmem_team_split_strided(W, 0, 1, t_npes, NULL, 0, &team);
    by_two(enter, &team);
}
static void two_threads_of_all(void) { by_two(enter_all, NULL); }
static void *enter_split(void *arg)
{
    shmem_team_t team;
    shmem_team_split_strided(*(shmem_team_t *)arg, 0, 1, 1, NULL, 0, &team);
    return NULL;
}
static void *enter_destroy(void *arg)
{
    shmem_team_destroy(*(shmem_team_t *)arg);
    return NULL;
}
static void two_splits(void)
{
    static shmem_team_t world = W;
    by_two(enter_split, &world);
}
static void two_destroys(void)
{
    static shmem_team_t team;
    shmem_team_split_strided(W, 0, 1, t_npes, NULL, 0, &team);
    by_two(enter_destroy, &team);
}

static const struct {
    const char *name;
    void (*act)(void);
    int alone;
} cases[] = {
#define ALL(name) {#name, name, 0}
#define ALONE(name) {#name, name, 1}
    ALL(other_routine), ALL(other_operation), ALL(other_type), ALL(sync_and_broadcast), ALL(other_nelems),
    ALL(other_nreduce), ALL(other_scan), ALL(other_root), ALL(other_dst), ALL(other_sst), ALL(other_dest),
    ALL(other_source), ALONE(overlap_reduce), ALONE(overlap_scan), ALONE(overlap_broadcast), ALONE(overlap_fcollect),
    ALONE(overlap_collect), ALONE(overlap_alltoall), ALONE(overlap_alltoalls), ALONE(overlap_set), ALL(psync_dirty),
    ALL(psync_null), ALL(psync_private), ALL(pwrk_null), ALL(pwrk_private), ALL(two_threads), ALL(two_threads_of_all), ALL(split_and_destroy), ALL(split_and_split_2d),
    ALL(two_splits), ALL(two_destroys), ALONE(root_high), ALONE(root_low), ALONE(root_of_set), ALONE(dest_private), ALONE(source_private), ALONE(source_of_scan),
    ALONE(source_of_alltoall), ALONE(dest_null), ALONE(source_null), ALONE(dest_end), ALONE(stride_zero),
    ALONE(stride_low), ALONE(outside), ALONE(outside_reduce), ALONE(outside_alltoall), ALONE(set_high),
    ALONE(set_stride), ALONE(set_low), ALONE(set_log), ALONE(set_empty), ALONE(count_low),
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    long on_stack[SHMEM_SYNC_SIZE * 4] = {0};
    int provided;
    t_alarm();
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    t_begin();
    here = on_stack;
    last = t_me == t_npes - 1;
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_[i] = on_stack[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, name)) {
            if (!cases[i].alone || last) {
                cases[i].act();
                fputs("the misuse went through\n", stderr);
                return 0;
            }
            shmem_barrier_all();
            return 0;
        }
    fputs("no such misuse\n", stderr);
    return 2;
}
