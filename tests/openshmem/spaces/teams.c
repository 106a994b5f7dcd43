/* Spaces of parts of the job: of every second PE, of rows and columns, in reverse; several at a time, with other spaces
 * on other PEs at the same places; a space outlives the team that it was made for. */
#include "check.h"

#include <shmemx.h>

/* Moves among the members of a team, by blocks of its space. */
static void use(shmem_team_t team, shmemx_space_t space)
{
    const int n = shmem_team_n_pes(team), me = shmem_team_my_pe(team);
    long *all = shmemx_space_malloc(space, (size_t)n * sizeof *all), *sum = shmemx_space_calloc(space, 1, sizeof *sum);
    CHECK(all && sum);
    for (int i = 0; i < n; i++) {
        const int pe = shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD);
        shmem_long_p(&all[me], 10 * me + i, pe);
        shmem_long_atomic_add(sum, me + 1, pe);
        CHECK(shmem_addr_accessible(all, pe));
    }
    shmem_quiet();
    shmem_team_sync(team);
    CHECK_EACH(n, all[i], 10 * i + me);
    CHECK_EQ(*sum, (long)n * (n + 1) / 2);
    CHECK_EQ(shmem_long_max_reduce(team, sum, all, 1), 0);
    CHECK_EQ(*sum, n - 1);
    shmemx_space_free(space, all);
    shmemx_space_free(space, sum);
}

/* PEs that are no members are not reached. */
static void others(shmem_team_t team, void *at)
{
    for (int pe = 0; pe < t_npes; pe++)
        if (shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team) < 0)
            CHECK(!shmem_addr_accessible(at, pe) && !shmem_ptr(at, pe));
}

static shmemx_space_t make(shmem_team_t team, size_t size)
{
    const shmemx_space_config_t config = {.size = size};
    shmemx_space_t space = SHMEMX_SPACE_INVALID;
    CHECK_EQ(shmemx_space_create(&config, team, &space), 0);
    return space;
}

int main(void)
{
    shmem_team_t even, odd, back, row, column;
    shmemx_space_t of_half, of_back, of_row, of_column, none = (shmemx_space_t)1;
    t_init();
    const int n = t_npes, half = (n + 1) / 2, is_even = t_me % 2 == 0;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, half, NULL, 0, &even);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, n > 1, 2, n > 1 ? n / 2 : 1, NULL, 0, &odd);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, n > 1 ? -1 : 1, n, NULL, 0, &back);
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column);
    CHECK(shmemx_space_create(NULL, SHMEM_TEAM_INVALID, &none) != 0 && none == SHMEMX_SPACE_INVALID);
    for (int round = 0; round < 3; round++) {
        const shmem_team_t mine = is_even ? even : odd;
        of_half = make(mine, is_even ? 100 : 5 << 20); /* sizes of a team are equal, those of teams are not */
        of_back = make(back, 70000);
        of_row = make(row, 70000);
        of_column = make(column, 70000);
        use(back, of_back);
        use(mine, of_half);
        use(row, of_row);
        use(column, of_column);
        void *at = shmemx_space_malloc(of_half, 1);
        others(mine, at);
        CHECK_EQ(shmemx_space_destroy(of_row), 0);
        use(column, of_column);
        CHECK_EQ(shmemx_space_destroy(of_half), 0);
        use(back, of_back);
        CHECK_EQ(shmemx_space_destroy(of_column), 0);
        CHECK_EQ(shmemx_space_destroy(of_back), 0);
    }
    of_row = make(row, 4096);
    shmem_team_destroy(row);
    long *word = shmemx_space_malloc(of_row, sizeof *word);
    *word = t_me;
    CHECK_EQ(shmem_long_g(word, t_me), t_me);
    shmem_free(word);
    CHECK_EQ(shmemx_space_destroy(of_row), 0);
    shmem_team_destroy(column);
    shmem_team_destroy(is_even ? even : odd);
    shmem_team_destroy(back);
    return t_done();
}
