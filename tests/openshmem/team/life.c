/* Configurations; the predefined teams, SHARED among them; children that outlive parents and grandparents; contexts
 * that end with their team.
 * shmem_team_get_config, shmem_team_destroy, shmem_team_create_ctx, SHMEM_TEAM_SHARED
 * rules: 16 17 102 103 106 113 119 120 122 123 125 130 */
#include "coll/coll.h"

#include <limits.h>

static shmem_team_t initialised[] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED};
static long word, words[64];

static void configs(void)
{
    shmem_team_config_t config = {.num_contexts = 77};
    shmem_team_t team;
    t_what = "config";
    CHECK_EQ(shmem_team_get_config(SHMEM_TEAM_WORLD, 0, NULL), 0);
    CHECK_EQ(shmem_team_get_config(SHMEM_TEAM_WORLD, 0, &config), 0);
    CHECK_EQ(config.num_contexts, 77);
    CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &config) != 0);
    CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, 0, NULL) != 0);
    CHECK_EQ(config.num_contexts, 77);
    for (int k = 1; k < 3; k++) {
        CHECK_EQ(shmem_team_get_config(initialised[k], SHMEM_TEAM_NUM_CONTEXTS, &config), 0);
        CHECK(config.num_contexts >= 0 && config.num_contexts != 77);
        config.num_contexts = 77;
    }
    /* what the mask leaves out is not read */
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, &config, 0, &team), 0);
    CHECK_EQ(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &config), 0);
    CHECK(config.num_contexts >= 0 && config.num_contexts != 77);
    shmem_team_destroy(team);
    for (int want = 0; want < 6; want += 5) {
        config.num_contexts = want;
        CHECK_EQ(
            shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, &config, SHMEM_TEAM_NUM_CONTEXTS, &team), 0);
        config.num_contexts = -1;
        CHECK_EQ(shmem_team_get_config(team, 0, NULL), 0);
        CHECK_EQ(shmem_team_get_config(team, 0, &config), 0);
        CHECK_EQ(config.num_contexts, -1);
        CHECK_EQ(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &config), 0);
        CHECK_EQ(config.num_contexts, want);
        shmem_team_destroy(team);
    }
    /* numbers that nobody can have, on all PEs or on one: no team, anywhere */
    static const int impossible[] = {INT_MIN, -1, INT_MAX, (16 << 20) + 1};
    for (int k = 0; k < 8; k++) {
        config.num_contexts = k < 4 || t_me == t_npes - 1 ? impossible[k % 4] : 1;
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, &config, SHMEM_TEAM_NUM_CONTEXTS, &team) != 0);
        CHECK(team == SHMEM_TEAM_INVALID);
        shmem_team_t other;
        CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, &config, SHMEM_TEAM_NUM_CONTEXTS, &team, NULL, 0, &other));
        CHECK(team == SHMEM_TEAM_INVALID && other == SHMEM_TEAM_INVALID);
    }
}

/* SHARED has exactly the PEs that shmem_ptr reaches for heap objects. */
static void shared(void)
{
    char *heap = t_malloc(100000);
    t_what = "shared";
    CHECK(shmem_team_n_pes(SHMEM_TEAM_SHARED) >= 1);
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_SHARED, shmem_team_my_pe(SHMEM_TEAM_SHARED), SHMEM_TEAM_WORLD), t_me);
    for (int pe = 0; pe < t_npes; pe++) {
        const int i = shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED);
        const int reached = shmem_ptr(heap, pe) && shmem_ptr(heap + 99999, pe);
        CHECK_EQ(i >= 0, reached);
        if (i >= 0)
            CHECK_PTR(shmem_team_ptr(SHMEM_TEAM_SHARED, heap, i), shmem_ptr(heap, pe));
    }
    CHECK_EQ(shmem_team_sync(SHMEM_TEAM_SHARED), 0);
    shmem_free(heap);
}

/* Each generation is made from the last, which is destroyed before its child is first used. */
static void generations(void)
{
    shmem_team_t parent = SHMEM_TEAM_WORLD, child;
    t_what = "generations";
    for (int k = 0; k < 20; k++) {
        CHECK_EQ(shmem_team_split_strided(parent, t_npes - 1, -1, t_npes, NULL, 0, &child), 0);
        if (parent != SHMEM_TEAM_WORLD)
            shmem_team_destroy(parent);
        CHECK_EQ(shmem_team_my_pe(child), k % 2 ? t_me : t_npes - 1 - t_me);
        CHECK_EQ(shmem_team_sync(child), 0);
        words[0] = t_me;
        CHECK_EQ(shmem_long_sum_reduce(child, words + 1, words, 1), 0);
        CHECK_EQ(words[1], (long)t_npes * (t_npes - 1) / 2);
        parent = child;
    }
    shmem_team_destroy(parent);
}

/* Contexts that are not destroyed go with the team; what they did is done. */
static void contexts(void)
{
    shmem_team_t team;
    shmem_ctx_t ctx[8];
    t_what = "contexts";
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, t_npes - 1, -1, t_npes, NULL, 0, &team), 0);
        for (int k = 0; k < 8; k++)
            CHECK_EQ(shmem_team_create_ctx(team, k % 2 ? SHMEM_CTX_SERIALIZED : 0, &ctx[k]), 0);
        for (int k = 0; k < 8; k++)
            shmem_ctx_long_put_nbi(ctx[k], &words[10 + k], &(long){100 * round + k}, 1, shmem_team_my_pe(team));
        for (int k = 0; k < 8; k++)
            shmem_ctx_long_atomic_add(ctx[k], &word, 1, t_npes - 1 - t_right());
        shmem_team_destroy(team);
        shmem_barrier_all();
        CHECK_EQ(shmem_long_atomic_fetch(&word, t_me), 8 * (round + 1));
        CHECK_EACH(8, words[10 + i], 100 * round + i);
        shmem_barrier_all();
    }
}

int main(void)
{
    t_init();
    CHECK(initialised[0] == SHMEM_TEAM_INVALID && initialised[1] == SHMEM_TEAM_WORLD);
    CHECK(initialised[1] != initialised[0] && initialised[2] != initialised[1] && initialised[2] != initialised[0]);
    configs();
    shared();
    generations();
    contexts();
    /* what is left over at finalize is no harm */
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &initialised[0]), 0);
    return t_done();
}
