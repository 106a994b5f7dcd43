/* One misuse of teams per run, named by the argument: the job must end with one line, or go on after a warning.
 * rules: 122 U21 U22 U23 U24 U25 U27 U28 U29 */
#include "cases.h"

static shmem_team_t gone, team; /* one that is destroyed, one that is not */
static shmem_team_config_t config;
static long source, dest;

/* These end the job; the last PE alone commits them. */
MISUSE(gone_sync, "oshmpi[1]: shmem_team_sync: team ") { shmem_team_sync(gone); }
MISUSE(gone_my_pe, "shmem_team_my_pe: team ") { shmem_team_my_pe(gone); }
MISUSE(gone_translate, "shmem_team_translate_pe: ") { shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, gone); }
MISUSE(gone_split, "shmem_team_split_strided: ") { shmem_team_split_strided(gone, 0, 1, 1, NULL, 0, &team); }
MISUSE(gone_ctx, "shmem_team_create_ctx: team ")
{
    shmem_ctx_t ctx;
    shmem_team_create_ctx(gone, 0, &ctx);
}
MISUSE(gone_reduce, "shmem_long_sum_reduce: team ") { shmem_long_sum_reduce(gone, &dest, &source, 1); }
MISUSE(gone_twice, "shmem_team_destroy: team ") { shmem_team_destroy(gone); }
MISUSE(junk_n_pes, "shmem_team_n_pes: team ", "is not a team") { shmem_team_n_pes((shmem_team_t)(void *)&gone); }
MISUSE(invalid_sync, "shmem_team_sync: team") { shmem_team_sync(SHMEM_TEAM_INVALID); }
MISUSE(invalid_broadcast, "shmem_long_broadcast: team")
    { shmem_long_broadcast(SHMEM_TEAM_INVALID, &dest, &source, 1, 0); }
MISUSE(invalid_collect, "shmem_collectmem: team") { shmem_collectmem(SHMEM_TEAM_INVALID, &dest, &source, 1); }
MISUSE(invalid_reduce, "shmem_long_max_reduce: team") { shmem_long_max_reduce(SHMEM_TEAM_INVALID, &dest, &source, 1); }
MISUSE(invalid_scan, "shmem_long_sum_exscan: team") { shmem_long_sum_exscan(SHMEM_TEAM_INVALID, &dest, &source, 1); }
MISUSE(invalid_alltoall, "shmem_long_alltoall: team") { shmem_long_alltoall(SHMEM_TEAM_INVALID, &dest, &source, 1); }
MISUSE(destroy_world, "shmem_team_destroy: a predefined team cannot be destroyed")
    { shmem_team_destroy(SHMEM_TEAM_WORLD); }
MISUSE(destroy_shared, "shmem_team_destroy: a predefined team cannot be destroyed")
    { shmem_team_destroy(SHMEM_TEAM_SHARED); }
MISUSE(null_team, "shmem_team_split_strided: new_team is null")
    { shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, NULL); }
MISUSE(null_axis, "shmem_team_split_2d: yaxis_team is null")
    { shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, NULL, 0, &team, NULL, 0, NULL); }
MISUSE(null_config, "shmem_team_split_strided: config is null")
{
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, SHMEM_TEAM_NUM_CONTEXTS, &team);
}
MISUSE(null_axis_config, "shmem_team_split_2d: ", "config is null")
{
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, NULL, 0, &team, NULL, SHMEM_TEAM_NUM_CONTEXTS, &gone);
}
MISUSE(null_get_config, "shmem_team_get_config: config is null")
    { shmem_team_get_config(SHMEM_TEAM_WORLD, SHMEM_TEAM_NUM_CONTEXTS, NULL); }

/* These give warnings with SHMEM_DEBUG; all PEs commit them. */
MISUSE(warn_stride, "shmem_team_split_strided: start 0, stride 0, size 2 is not a part of 2 PEs")
{
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 0, 2, NULL, 0, &team) != 0);
}
MISUSE(warn_range, "shmem_team_split_strided: start 3, stride 3, size 3 is not a part of 2 PEs")
{
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 3, 3, 3, NULL, 0, &team) != 0);
}
MISUSE(warn_xrange, "shmem_team_split_2d: xrange -4 is not positive")
{
    shmem_team_t y;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, -4, NULL, 0, &team, NULL, 0, &y) != 0);
}
MISUSE(warn_mask, "shmem_team_split_strided: config_mask 0x41")
{
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, &config, 0x40 | SHMEM_TEAM_NUM_CONTEXTS, &team),
             0);
    shmem_team_destroy(team);
}
MISUSE(warn_private, "shmem_team_destroy: the team has a SHMEM_CTX_PRIVATE context")
{
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    CHECK_EQ(shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE, &ctx), 0);
    shmem_team_destroy(team);
}
MISUSE(warn_private_at_end, "shmem_finalize: a SHMEM_CTX_PRIVATE context")
{
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
}
MISUSE(warn_team_at_end, "shmem_finalize: teams that were not destroyed: 1")
{
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
}

int main(int argc, char **argv)
{
    t_init();
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &gone), 0);
    shmem_team_destroy(gone);
    return t_misuse(argc > 1 ? argv[1] : "");
}
