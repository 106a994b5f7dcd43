/* Contexts with every combination of options, of the world and of teams: made by one PE alone, used, asked for their
 * team, destroyed with operations pending; SHMEM_CTX_INVALID where it does nothing; sessions change nothing.
 * shmem_ctx_create, shmem_team_create_ctx, shmem_ctx_destroy, shmem_ctx_get_team, shmem_ctx_session_start,
 * shmem_ctx_session_stop, shmem_ctx_fence, shmem_ctx_quiet, shmem_ctx_pe_quiet
 * rules: 14 17 126 127 128 129 131 132 133 134 137 172 173 174 175 176 177 178 179 249 251 252 */
#include "coll/coll.h"

enum { OPTIONS = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, ROWS = OPTIONS + 1, N = 500 };
static long from[N], to[ROWS][N], sums[ROWS], plain[ROWS], flags[ROWS];

static void invalid(void)
{
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    shmem_team_t team = SHMEM_TEAM_WORLD;
    shmem_ctx_session_config_t config = {.total_ops = 3};
    t_what = "invalid";
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, &t_me, 1);
    shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, NULL, 0);
    shmem_ctx_session_start(SHMEM_CTX_INVALID, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
    shmem_ctx_session_stop(SHMEM_CTX_INVALID);
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0);
    CHECK(team == SHMEM_TEAM_INVALID);
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0);
    CHECK(ctx == SHMEM_CTX_INVALID);
    CHECK_EQ(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team), 0);
    CHECK(team == SHMEM_TEAM_WORLD);
}

/* Whether `ctx` does what it should towards `pe`, a number of its team. */
static void use(shmem_ctx_t ctx, long options, int pe, int session)
{
    shmem_ctx_session_config_t config = {.total_ops = session && t_me % 2 ? SIZE_MAX : (size_t)session};
    long got[N] = {0}, old = -1;
    if (session) {
        shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
        shmem_ctx_session_start(ctx, 0, NULL, 0);
        shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
    }
    for (int i = 0; i < N; i++)
        from[i] = options * 1000 + i + t_me + session;
    /* a source may be reused when a blocking put returns, batched or not */
    shmem_ctx_long_put(ctx, to[options], from, N, pe);
    from[0]++;
    shmem_ctx_fence(ctx);
    shmem_ctx_long_p(ctx, &to[options][0], from[0], pe);
    from[1] = -1;
    shmem_ctx_quiet(ctx);
    shmem_ctx_pe_quiet(ctx, &pe, 1);
    shmem_ctx_pe_quiet(ctx, (int[]){pe, pe, pe}, 3);
    shmem_ctx_pe_quiet(ctx, NULL, 0);
    shmem_ctx_long_get(ctx, got, to[options], N, pe);
    CHECK_EACH(N, got[i], options * 1000 + i + t_me + session + (i == 0));
    shmem_ctx_long_atomic_fetch_nbi(ctx, &old, &to[options][5], pe);
    shmem_ctx_long_atomic_add(ctx, &sums[options], 1, pe);
    shmem_ctx_long_get_nbi(ctx, got, &to[options][7], 1, pe);
    if (session)
        shmem_ctx_session_stop(ctx);
    shmem_ctx_session_stop(ctx); /* without a session: nothing */
    shmem_ctx_quiet(ctx);
    CHECK_EQ(old, options * 1000 + 5 + t_me + session);
    CHECK_EQ(got[0], options * 1000 + 7 + t_me + session);
}

/* Stores before a fence or quiet are seen by whoever sees what comes after; NOSTORE contexts need the program's own
 * fence. */
static void stores(shmem_ctx_t ctx, long options, int pe)
{
    long *theirs = shmem_ptr(&plain[options], t_right());
    if (theirs) {
        *theirs = 5;
        if (options & SHMEM_CTX_NOSTORE)
            shmem_fence();
        shmem_ctx_fence(ctx);
        shmem_ctx_long_atomic_set(ctx, &flags[options], 1, pe);
        t_wait(&flags[options], 1);
        CHECK_EQ(*(volatile long *)&plain[options], 5);
    }
    shmem_barrier_all();
    plain[options] = flags[options] = 0;
    shmem_barrier_all();
}

static void each(shmem_team_t team, int pe)
{
    for (long options = 0; options <= OPTIONS; options++) {
        shmem_ctx_t ctx = SHMEM_CTX_INVALID;
        shmem_team_t its = SHMEM_TEAM_INVALID;
        T_WHAT("options %ld", options);
        if (team == SHMEM_TEAM_WORLD && options % 2)
            CHECK_EQ(shmem_ctx_create(options, &ctx), 0);
        else
            CHECK_EQ(shmem_team_create_ctx(team, options, &ctx), 0);
        CHECK(ctx != SHMEM_CTX_INVALID && ctx != SHMEM_CTX_DEFAULT);
        CHECK_EQ(shmem_ctx_get_team(ctx, &its), 0);
        CHECK(its == team);
        for (int session = 0; session < 3; session++)
            use(ctx, options, pe, session);
        stores(ctx, options, pe);
        /* destroy completes what is pending */
        for (int i = 0; i < N; i++) {
            from[i] = 7 * i + options;
            shmem_ctx_long_put_nbi(ctx, &to[options][i], &from[i], 1, pe);
        }
        shmem_ctx_destroy(ctx);
        CHECK_EACH(N, shmem_long_g(&to[options][i], t_right()), 7 * i + options);
    }
}

int main(void)
{
    shmem_team_t back;
    shmem_ctx_t alone;
    t_init();
    invalid();
    for (int session = 0; session < 3; session++)
        use(SHMEM_CTX_DEFAULT, 0, t_right(), session);
    shmem_barrier_all();
    sums[0] = 0;
    /* no other PE is needed to make and end a context */
    if (t_me == 0) {
        CHECK_EQ(shmem_ctx_create(0, &alone), 0);
        shmem_ctx_long_p(alone, &sums[0], 0, t_me);
        shmem_ctx_destroy(alone);
    }
    shmem_barrier_all();
    each(SHMEM_TEAM_WORLD, t_right());
    shmem_barrier_all();
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, t_npes - 1, -1, t_npes, NULL, 0, &back), 0);
    each(back, t_npes - 1 - t_right());
    shmem_team_destroy(back);
    shmem_barrier_all();
    CHECK_EACH(OPTIONS + 1, sums[i], 6);
    shmem_barrier_all();
    each(SHMEM_TEAM_SHARED, shmem_team_translate_pe(SHMEM_TEAM_WORLD, t_right(), SHMEM_TEAM_SHARED));
    return t_done();
}
