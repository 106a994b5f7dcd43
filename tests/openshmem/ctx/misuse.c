/* One misuse of contexts per run, named by the argument, by the last PE alone while the others wait in a barrier: the
 * job must end with one line, or go on after a warning. tests.list has the sentence for each.
 * rules: 122 135 136 U3 U16 U17 U18 U19 U20 U29 U55 U56 */
#include "check.h"

#include <pthread.h>

enum { MEGA = 1 << 20 };
static shmem_ctx_t gone, ctx, on_team; /* destroyed; PRIVATE or as the case wants; of a team of the last PE */
static shmem_team_t alone;             /* that team */
static long words[8];
static char *block, private_block[MEGA];
static volatile int stop;

static void gone_put(void) { shmem_ctx_long_put(gone, words, words + 4, 1, 0); }
static void gone_g(void) { shmem_ctx_long_g(gone, words, 0); }
static void gone_put_nbi(void) { shmem_ctx_putmem_nbi(gone, words, words + 4, 8, 0); }
static void gone_add(void) { shmem_ctx_long_atomic_add(gone, words, 1, 0); }
static void gone_fetch(void) { shmem_ctx_int_atomic_fetch(gone, (int *)words, 0); }
static void gone_iput(void) { shmem_ctx_long_iput(gone, words, words + 4, 1, 1, 2, 0); }
static void gone_quiet(void) { shmem_ctx_quiet(gone); }
static void gone_fence(void) { shmem_ctx_fence(gone); }
static void gone_pe_quiet(void) { shmem_ctx_pe_quiet(gone, &t_me, 1); }
static void gone_twice(void) { shmem_ctx_destroy(gone); }
static void gone_team(void)
{
    shmem_team_t team;
    shmem_ctx_get_team(gone, &team);
}
static void gone_session(void) { shmem_ctx_session_start(gone, 0, NULL, 0); }
static void gone_session_stop(void) { shmem_ctx_session_stop(gone); }
static void gone_with_team(void)
{
    shmem_team_destroy(alone);
    shmem_ctx_long_p(on_team, words, 1, 0);
}
static void junk_put(void) { shmem_ctx_long_p((shmem_ctx_t)(void *)words, words, 1, 0); }
static void reused_put(void)
{
    /* another context may lie where the destroyed one was: still not the same */
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    shmem_ctx_long_p(gone, words, 1, 0);
}
static void invalid_get(void) { shmem_ctx_long_get(SHMEM_CTX_INVALID, words, words + 4, 1, 0); }
static void invalid_amo(void) { shmem_ctx_long_atomic_inc(SHMEM_CTX_INVALID, words, 0); }
static void default_destroy(void) { shmem_ctx_destroy(SHMEM_CTX_DEFAULT); }
static void pe_put(void) { shmem_ctx_long_put(on_team, words, words + 4, 1, 1); }
static void pe_g(void) { shmem_ctx_long_g(on_team, words, -1); }
static void pe_amo(void) { shmem_ctx_long_atomic_inc(on_team, words, 1); }
static void pe_pe_quiet(void) { shmem_ctx_pe_quiet(on_team, (int[]){0, 1}, 2); }
static void null_ctx(void) { shmem_ctx_create(0, NULL); }
static void null_team_ctx(void) { shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, NULL); }
static void null_team(void) { shmem_ctx_get_team(SHMEM_CTX_DEFAULT, NULL); }
static void null_session(void)
{
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, 0, NULL, SHMEM_CTX_SESSION_TOTAL_OPS);
}

/* In another thread than the one that made the PRIVATE context. */
static void *put_there(void *arg)
{
    shmem_ctx_long_p(ctx, words, 1, 0);
    return arg;
}
static void *destroy_there(void *arg)
{
    shmem_ctx_destroy(ctx);
    return arg;
}
static void elsewhere(void *(*act)(void *))
{
    pthread_t thread;
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
    pthread_create(&thread, NULL, act, NULL);
    pthread_join(thread, NULL);
}
static void private_put(void) { elsewhere(put_there); }
static void private_destroy(void) { elsewhere(destroy_there); }

/* Two threads at once on a SERIALIZED context, until somebody complains or 3 seconds are over. */
static void *put_on(void *arg)
{
    while (!stop)
        shmem_ctx_putmem(ctx, block, private_block, MEGA, 0);
    return arg;
}
static void serialized(void)
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

static void warn_options(void)
{
    CHECK_EQ(shmem_ctx_create(0x1000, &ctx), 0);
    shmem_ctx_destroy(ctx);
}

static const struct {
    const char *name;
    void (*act)(void);
} cases[] = {
#define CASE(name) {#name, name}
    CASE(gone_put), CASE(gone_g), CASE(gone_put_nbi), CASE(gone_add), CASE(gone_fetch), CASE(gone_iput),
    CASE(gone_quiet), CASE(gone_fence), CASE(gone_pe_quiet), CASE(gone_twice), CASE(gone_team), CASE(gone_session),
    CASE(gone_session_stop), CASE(gone_with_team), CASE(junk_put), CASE(reused_put), CASE(invalid_get), CASE(invalid_amo),
    CASE(default_destroy), CASE(pe_put), CASE(pe_g), CASE(pe_amo), CASE(pe_pe_quiet), CASE(null_ctx),
    CASE(null_team_ctx), CASE(null_team), CASE(null_session), CASE(private_put), CASE(private_destroy),
    CASE(serialized), CASE(warn_options),
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int provided;
    t_alarm();
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided), 0);
    t_begin();
    block = t_malloc(MEGA);
    CHECK_EQ(shmem_ctx_create(0, &gone), 0);
    shmem_ctx_destroy(gone);
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, t_npes - 1, 1, 1, NULL, 0, &alone), 0);
    if (alone != SHMEM_TEAM_INVALID)
        CHECK_EQ(shmem_team_create_ctx(alone, 0, &on_team), 0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, name)) {
            if (t_me == t_npes - 1) {
                cases[i].act();
                if (strncmp(name, "warn", 4)) {
                    fputs("the misuse went through\n", stderr);
                    return 0;
                }
            }
            return t_done();
        }
    fputs("no such misuse\n", stderr);
    return 2;
}
