/* One misuse of teams per run, named by the argument: the job must end with one line, or go on after a warning.
 * tests.list has the sentence for each.
 * rules: 122 U21 U22 U23 U24 U25 U27 U28 U29 */
#include "check.h"

static shmem_team_t gone, team; /* one that is destroyed, one that is not */
static shmem_team_config_t config;
static long source, dest;

/* These end the job; the last PE alone commits them. */
static void gone_sync(void) { shmem_team_sync(gone); }
static void gone_my_pe(void) { shmem_team_my_pe(gone); }
static void gone_translate(void) { shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, gone); }
static void gone_split(void) { shmem_team_split_strided(gone, 0, 1, 1, NULL, 0, &team); }
static void gone_ctx(void)
{
    shmem_ctx_t ctx;
    shmem_team_create_ctx(gone, 0, &ctx);
}
static void gone_reduce(void) { shmem_long_sum_reduce(gone, &dest, &source, 1); }
static void gone_twice(void) { shmem_team_destroy(gone); }
static void junk_n_pes(void) { shmem_team_n_pes((shmem_team_t)(void *)&gone); }
static void invalid_sync(void) { shmem_team_sync(SHMEM_TEAM_INVALID); }
static void invalid_broadcast(void) { shmem_long_broadcast(SHMEM_TEAM_INVALID, &dest, &source, 1, 0); }
static void invalid_collect(void) { shmem_collectmem(SHMEM_TEAM_INVALID, &dest, &source, 1); }
static void invalid_reduce(void) { shmem_long_max_reduce(SHMEM_TEAM_INVALID, &dest, &source, 1); }
static void invalid_scan(void) { shmem_long_sum_exscan(SHMEM_TEAM_INVALID, &dest, &source, 1); }
static void invalid_alltoall(void) { shmem_long_alltoall(SHMEM_TEAM_INVALID, &dest, &source, 1); }
static void destroy_world(void) { shmem_team_destroy(SHMEM_TEAM_WORLD); }
static void destroy_shared(void) { shmem_team_destroy(SHMEM_TEAM_SHARED); }
static void null_team(void) { shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, NULL); }
static void null_axis(void) { shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, NULL, 0, &team, NULL, 0, NULL); }
static void null_config(void)
{
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, SHMEM_TEAM_NUM_CONTEXTS, &team);
}
static void null_axis_config(void)
{
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, NULL, 0, &team, NULL, SHMEM_TEAM_NUM_CONTEXTS, &gone);
}
static void null_get_config(void) { shmem_team_get_config(SHMEM_TEAM_WORLD, SHMEM_TEAM_NUM_CONTEXTS, NULL); }

/* These give warnings with SHMEM_DEBUG; all PEs commit them. */
static void warn_stride(void)
{
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 0, 2, NULL, 0, &team) != 0);
}
static void warn_range(void)
{
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 3, 3, 3, NULL, 0, &team) != 0);
}
static void warn_xrange(void)
{
    shmem_team_t y;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, -4, NULL, 0, &team, NULL, 0, &y) != 0);
}
static void warn_mask(void)
{
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, &config, 0x40 | SHMEM_TEAM_NUM_CONTEXTS, &team),
             0);
    shmem_team_destroy(team);
}
static void warn_private(void)
{
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    CHECK_EQ(shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE, &ctx), 0);
    shmem_team_destroy(team);
}
static void warn_private_at_end(void)
{
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
}
static void warn_team_at_end(void)
{
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
}

static const struct {
    const char *name;
    void (*act)(void);
} cases[] = {
#define CASE(name) {#name, name}
    CASE(gone_sync), CASE(gone_my_pe), CASE(gone_translate), CASE(gone_split), CASE(gone_ctx), CASE(gone_reduce),
    CASE(gone_twice), CASE(junk_n_pes), CASE(invalid_sync), CASE(invalid_broadcast), CASE(invalid_collect),
    CASE(invalid_reduce), CASE(invalid_scan), CASE(invalid_alltoall), CASE(destroy_world), CASE(destroy_shared),
    CASE(null_team), CASE(null_axis), CASE(null_config), CASE(null_axis_config), CASE(null_get_config),
    CASE(warn_stride), CASE(warn_range), CASE(warn_xrange), CASE(warn_mask), CASE(warn_private),
    CASE(warn_private_at_end), CASE(warn_team_at_end),
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    t_init();
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &gone), 0);
    shmem_team_destroy(gone);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, name)) {
            if (!strncmp(name, "warn", 4)) {
                cases[i].act();
                return t_done();
            }
            if (t_me == t_npes - 1) {
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
