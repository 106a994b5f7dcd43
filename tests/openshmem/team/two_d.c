/* 2D splits: every xrange from 1 to beyond the number of PEs, over the world, a reversed and a strided parent;
 * coordinates, short last row, columns of different length, configurations of the two teams, bad xrange.
 * shmem_team_split_2d, shmem_team_get_config
 * rules: 111 113 114 115 116 117 118 120 U27 */
#include "coll/coll.h"

static void split(const t_group *parent, int xrange)
{
    const int n = parent->size, me = parent->me, range = xrange < n ? xrange : n;
    const int x = me % range, y = me / range;
    const int row = y == (n - 1) / range ? n - y * range : range; /* length of my row */
    const int col = (n - 1 - x) / range + 1;                      /* and of my column */
    shmem_team_t xteam = SHMEM_TEAM_WORLD, yteam = SHMEM_TEAM_WORLD;
    shmem_team_config_t xconfig = {.num_contexts = 2 + y}, yconfig = {.num_contexts = 50 + x}, got = {-7};
    T_WHAT("xrange %d of %d%+d*%d", xrange, parent->start, parent->stride, n);
    CHECK_EQ(shmem_team_split_2d(parent->team, xrange, &xconfig, SHMEM_TEAM_NUM_CONTEXTS, &xteam, &yconfig,
                                 SHMEM_TEAM_NUM_CONTEXTS, &yteam),
             0);
    CHECK_EQ(shmem_team_my_pe(xteam), x);
    CHECK_EQ(shmem_team_n_pes(xteam), row);
    CHECK_EQ(shmem_team_my_pe(yteam), y);
    CHECK_EQ(shmem_team_n_pes(yteam), col);
    CHECK(xteam != yteam);
    for (int i = -1; i <= n; i++) {
        const int inside = i >= 0 && i < n;
        CHECK_EQ(shmem_team_translate_pe(parent->team, i, xteam), inside && i / range == y ? i % range : -1);
        CHECK_EQ(shmem_team_translate_pe(parent->team, i, yteam), inside && i % range == x ? i / range : -1);
        CHECK_EQ(shmem_team_translate_pe(xteam, i, SHMEM_TEAM_WORLD),
                 i >= 0 && i < row ? t_world(parent, y * range + i) : -1);
        CHECK_EQ(shmem_team_translate_pe(yteam, i, SHMEM_TEAM_WORLD),
                 i >= 0 && i < col ? t_world(parent, i * range + x) : -1);
    }
    CHECK_EQ(shmem_team_get_config(xteam, SHMEM_TEAM_NUM_CONTEXTS, &got), 0);
    CHECK_EQ(got.num_contexts, 2 + y);
    CHECK_EQ(shmem_team_get_config(yteam, SHMEM_TEAM_NUM_CONTEXTS, &got), 0);
    CHECK_EQ(got.num_contexts, 50 + x);
    CHECK_EQ(shmem_team_sync(yteam), 0);
    CHECK_EQ(shmem_team_sync(xteam), 0);
    shmem_team_destroy(xteam);
    shmem_team_destroy(yteam);
}

static void refused(shmem_team_t parent, int xrange)
{
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_SHARED;
    T_WHAT("xrange %d", xrange);
    CHECK(shmem_team_split_2d(parent, xrange, NULL, 0, &x, NULL, 0, &y) != 0);
    CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
}

int main(void)
{
    t_group groups[T_GROUPS];
    int made;
    t_init();
    made = t_groups(groups);
    for (int k = 0; k < made; k++) {
        const int top = groups[k].size + 2;
        if (groups[k].me < 0)
            continue;
        for (int xrange = 1; xrange <= top; xrange++)
            split(&groups[k], xrange);
        split(&groups[k], INT_MAX);
        refused(groups[k].team, 0);
        refused(groups[k].team, -1);
        refused(groups[k].team, INT_MIN);
        split(&groups[k], 2);
    }
    t_groups_destroy(groups, made);
    return t_done();
}
