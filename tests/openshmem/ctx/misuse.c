/* One misuse of contexts per run, named by the argument, by the last PE alone while the others wait in a barrier: the
 * job must end with one line, or go on after a warning.
 * rules: 122 135 136 U3 U16 U17 U18 U19 U20 U29 U55 U56 */
#include "cases.h"

#include <pthread.h>

enum { MEGA = 1 << 20 };
static shmem_ctx_t gone, ctx, on_team; /* destroyed; PRIVATE or as the case wants; of a team of the last PE */
static shmem_team_t alone;             /* that team */
static long words[8];
static char *block, private_block[MEGA];
static volatile int stop;

MISUSE(gone_put, "oshmpi[1]: shmem_ctx_long_put: ctx ") { shmem_ctx_long_put(gone, words, words + 4, 1, 0); }
MISUSE(gone_g, "shmem_ctx_long_g: ctx ") { shmem_ctx_long_g(gone, words, 0); }
MISUSE(gone_put_nbi, "shmem_ctx_putmem_nbi: ctx ") { shmem_ctx_putmem_nbi(gone, words, words + 4, 8, 0); }
MISUSE(gone_add, "shmem_ctx_long_atomic_add: ctx ") { shmem_ctx_long_atomic_add(gone, words, 1, 0); }
MISUSE(gone_fetch, "shmem_ctx_int_atomic_fetch: ctx ") { shmem_ctx_int_atomic_fetch(gone, (int *)words, 0); }
MISUSE(gone_iput, "shmem_ctx_long_iput: ctx ") { shmem_ctx_long_iput(gone, words, words + 4, 1, 1, 2, 0); }
MISUSE(gone_quiet, "shmem_ctx_quiet: ctx ") { shmem_ctx_quiet(gone); }
MISUSE(gone_fence, "shmem_ctx_fence: ctx ") { shmem_ctx_fence(gone); }
MISUSE(gone_pe_quiet, "shmem_ctx_pe_quiet: ctx ") { shmem_ctx_pe_quiet(gone, &t_me, 1); }
MISUSE(gone_twice, "shmem_ctx_destroy: ctx ") { shmem_ctx_destroy(gone); }
MISUSE(gone_team, "shmem_ctx_get_team: ctx ")
{
    shmem_team_t team;
    shmem_ctx_get_team(gone, &team);
}
MISUSE(gone_session, "shmem_ctx_session_start: ctx ") { shmem_ctx_session_start(gone, 0, NULL, 0); }
MISUSE(gone_session_stop, "shmem_ctx_session_stop: ctx ") { shmem_ctx_session_stop(gone); }
MISUSE(gone_with_team, "shmem_ctx_long_p: ctx ")
{
    shmem_team_destroy(alone);
    shmem_ctx_long_p(on_team, words, 1, 0);
}
MISUSE(junk_put, "shmem_ctx_long_p: ctx ", "is not a context")
    { shmem_ctx_long_p((shmem_ctx_t)(void *)words, words, 1, 0); }
MISUSE(reused_put, "shmem_ctx_long_p: ctx ")
{
    /* another context may lie where the destroyed one was: still not the same */
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    shmem_ctx_long_p(gone, words, 1, 0);
}
MISUSE(invalid_get, "shmem_ctx_long_get: ") { shmem_ctx_long_get(SHMEM_CTX_INVALID, words, words + 4, 1, 0); }
MISUSE(invalid_amo, "shmem_ctx_long_atomic_inc: ") { shmem_ctx_long_atomic_inc(SHMEM_CTX_INVALID, words, 0); }
MISUSE(default_destroy, "shmem_ctx_destroy: SHMEM_CTX_DEFAULT cannot be destroyed")
    { shmem_ctx_destroy(SHMEM_CTX_DEFAULT); }
MISUSE(pe_put, "shmem_ctx_long_put: pe 1") { shmem_ctx_long_put(on_team, words, words + 4, 1, 1); }
MISUSE(pe_g, "shmem_ctx_long_g: pe -1") { shmem_ctx_long_g(on_team, words, -1); }
MISUSE(pe_amo, "shmem_ctx_long_atomic_inc: pe 1") { shmem_ctx_long_atomic_inc(on_team, words, 1); }
MISUSE(pe_pe_quiet, "shmem_ctx_pe_quiet: pe 1") { shmem_ctx_pe_quiet(on_team, (int[]){0, 1}, 2); }
MISUSE(null_ctx, "shmem_ctx_create: ctx is null") { shmem_ctx_create(0, NULL); }
MISUSE(null_team_ctx, "shmem_team_create_ctx: ctx is null") { shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, NULL); }
MISUSE(null_team, "shmem_ctx_get_team: team is null") { shmem_ctx_get_team(SHMEM_CTX_DEFAULT, NULL); }
MISUSE(null_session, "shmem_ctx_session_start: config is null")
{
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, 0, NULL, SHMEM_CTX_SESSION_TOTAL_OPS);
}

/* In another thread than the one that made the PRIVATE context. */
T_THREAD(put_there, shmem_ctx_long_p(ctx, words, 1, 0))
T_THREAD(destroy_there, shmem_ctx_destroy(ctx))
static void elsewhere(void *(*act)(void *))
{
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
    t_threads(1, act);
}
MISUSE(private_put, "shmem_ctx_long_p: ctx is a SHMEM_CTX_PRIVATE context of another thread") { elsewhere(put_there); }
MISUSE(private_destroy, "shmem_ctx_destroy: ctx is a SHMEM_CTX_PRIVATE context of another thread")
    { elsewhere(destroy_there); }

/* Two threads at once on a SERIALIZED context, until somebody complains or 3 seconds are over. */
static void *put_on(void *arg)
{
    while (!stop)
        shmem_ctx_putmem(ctx, block, private_block, MEGA, 0);
    return arg;
}
MISUSE(serialized, "shmem_ctx_putmem: ctx is SHMEM_CTX_SERIALIZED and in use by another thread")
{
    pthread_t threads[2];
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx), 0);
    for (int t = 0; t < 2; t++)
        pthread_create(&threads[t], NULL, put_on, NULL);
    sleep(3);
    stop = 1;
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
}

MISUSE(warn_options, "shmem_ctx_create: options 0x1000")
{
    CHECK_EQ(shmem_ctx_create(0x1000, &ctx), 0);
    shmem_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    block = t_malloc(MEGA);
    CHECK_EQ(shmem_ctx_create(0, &gone), 0);
    shmem_ctx_destroy(gone);
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, t_npes - 1, 1, 1, NULL, 0, &alone), 0);
    if (alone != SHMEM_TEAM_INVALID)
        CHECK_EQ(shmem_team_create_ctx(alone, 0, &on_team), 0);
    return t_misuse(argc > 1 ? argv[1] : "");
}
