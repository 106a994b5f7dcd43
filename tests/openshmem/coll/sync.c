/* sync and barrier on teams and active sets: nobody leaves before all have come, stores and completed puts of before
 * are seen after, a barrier completes what is pending, those outside are not needed, and one alone does not wait.
 * shmem_team_sync, shmem_sync_all, shmem_barrier_all, shmem_sync, shmem_barrier
 * rules: 7 118 181 182 193 194 195 197 198 199 221 223 228 */
#include "coll/coll.h"

enum { ROUNDS = 30, MOST = 64 };
static long come, plain, pending[MOST], fetched[MOST], sync_[SHMEM_SYNC_SIZE], barrier_[SHMEM_BARRIER_SYNC_SIZE];
static uint64_t state;

enum { TEAM_SYNC, GENERIC, SYNC_ALL, BARRIER_ALL, SET_SYNC, SET_BARRIER, WAYS };

static int possible(int way, const t_group *g)
{
    if (way == SYNC_ALL || way == BARRIER_ALL)
        return g->size == t_npes;
    return way < SYNC_ALL || (g->stride > 0 && (g->stride & (g->stride - 1)) == 0);
}

static void synchronize(int way, const t_group *g)
{
    switch (way) {
    case TEAM_SYNC:
        CHECK_EQ(shmem_team_sync(g->team), 0);
        break;
    case GENERIC:
        CHECK_EQ(shmem_sync(g->team), 0);
        break;
    case SYNC_ALL:
        shmem_sync_all();
        break;
    case BARRIER_ALL:
        shmem_barrier_all();
        break;
    case SET_SYNC:
        shmem_sync(g->start, __builtin_ctz((unsigned)g->stride), g->size, sync_);
        break;
    default:
        shmem_barrier(g->start, __builtin_ctz((unsigned)g->stride), g->size, barrier_);
    }
}

/* Everybody counts its arrivals at the first member, which nobody leaves before the count is full. */
static void rounds(int way, const t_group *g)
{
    const int boss = t_world(g, 0), right = t_world(g, (g->me + 1) % g->size);
    const int left = t_world(g, (g->me + g->size - 1) % g->size);
    for (long r = 1; r <= ROUNDS; r++) {
        long *theirs = shmem_ptr(&plain, right);
        if (t_random(&state) % 8 == 0)
            usleep((unsigned)(t_random(&state) % 300));
        shmem_long_atomic_inc(&come, boss);
        if (theirs)
            *theirs = r;
        for (int i = 0; i < g->size; i++)
            shmem_long_put_nbi(&pending[g->me], &r, 1, t_world(g, i));
        shmem_long_get_nbi(&fetched[0], &plain, 1, t_me);
        if (way != BARRIER_ALL && way != SET_BARRIER)
            shmem_quiet();
        synchronize(way, g);
        CHECK_EQ(shmem_long_atomic_fetch(&come, boss), r * g->size);
        CHECK_EACH(g->size, pending[i], r);
        if (shmem_ptr(&plain, left))
            CHECK_EQ(plain, r);
        /* nobody counts on before all have looked */
        synchronize(way, g);
    }
    CHECK_EACH(SHMEM_SYNC_SIZE, sync_[i], SHMEM_SYNC_VALUE);
    CHECK_EACH(SHMEM_BARRIER_SYNC_SIZE, barrier_[i], SHMEM_SYNC_VALUE);
    synchronize(way, g);
    come = plain = 0;
    synchronize(way, g);
}

int main(void)
{
    t_group groups[T_GROUPS];
    int made;
    t_init();
    state = 55555 + 7 * (uint64_t)t_me;
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        sync_[i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        barrier_[i] = SHMEM_SYNC_VALUE;
    made = t_groups(groups);
    shmem_barrier_all();
    for (int k = 0; k < made; k++)
        for (int way = 0; way < WAYS; way++) {
            T_WHAT("way %d on %d%+d*%d", way, groups[k].start, groups[k].stride, groups[k].size);
            if (groups[k].me >= 0 && possible(way, &groups[k]))
                rounds(way, &groups[k]);
            /* the counters of different teams must not mix */
            shmem_barrier_all();
        }
    if (t_me == t_npes - 1) /* alone, any number of times */
        for (int r = 0; r < 1000; r++)
            r % 2 ? shmem_sync(t_me, 0, 1, sync_) : (shmem_sync)(t_me, 0, 1, sync_); /* macro and function */
    t_groups_destroy(groups, made);
    return t_done();
}
