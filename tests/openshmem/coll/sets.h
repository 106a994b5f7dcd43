/* sets.h: active sets as groups, beside the teams of coll.h: their pSync arrays, of which one after the other is used.
 */
#ifndef T_SETS_H
#define T_SETS_H

#include "coll/coll.h"

enum { T_SYNCS = 8 };
static long t_static_syncs[T_SYNCS + 1][SHMEM_SYNC_SIZE], (*t_syncs)[SHMEM_SYNC_SIZE] = t_static_syncs;
static int t_sync_turn;

/* Makes the arrays, on the heap or among the statics. */
T_UNUSED static void t_make_syncs(int heap)
{
    if (heap)
        t_syncs = (long (*)[SHMEM_SYNC_SIZE])t_malloc(sizeof t_static_syncs);
    for (int k = 0; k <= T_SYNCS; k++)
        for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
            t_syncs[k][i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
}

/* The active set of so many PEs from `start` on. */
T_UNUSED static t_group t_set(int start, int log_stride, int size)
{
    t_group g = {SHMEM_TEAM_INVALID, start, 1 << log_stride, size, -1};
    for (int i = 0; i < size; i++)
        if (t_world(&g, i) == t_me)
            g.me = i;
    return g;
}

/* Of a group of which this PE is a member. */
static int t_is_set(const t_group *g) { return g->team == SHMEM_TEAM_INVALID; }

/* The last arguments of a call on a set: the set, with the next pSync. */
#define T_SET(g) (g)->start, __builtin_ctz((unsigned)(g)->stride), (g)->size
#define T_NEXT_SYNC() t_syncs[++t_sync_turn % T_SYNCS]

/* Returns when all members have called it. */
static void t_synchronize(const t_group *g)
{
    if (t_is_set(g))
        shmem_sync(T_SET(g), t_syncs[T_SYNCS]);
    else
        CHECK_EQ(shmem_team_sync(g->team), 0);
}

/* The pSync that was used last is as it was. */
static void t_check_sync(void)
{
    CHECK_EACH(SHMEM_SYNC_SIZE, t_syncs[t_sync_turn % T_SYNCS][i], SHMEM_SYNC_VALUE);
}

#endif
