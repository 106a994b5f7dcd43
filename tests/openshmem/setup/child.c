/* A forked child is no PE. What its end calls (`finalize`, the frees of its cleanup) does nothing, and the barrier
 * that the PEs are in is not entered for the parent; any other call (`call`, `init`) says so in one line and ends
 * the child alone. So does a call of a child that was forked after finalize (`after-call`, `after-init`). The job goes
 * on and ends well.
 * shmem_finalize shmem_free shmem_team_destroy shmem_ctx_destroy shmem_ctx_session_stop shmem_clear_lock
 * shmemx_req_wait
 * rules: 269 */
#include "check.h"

#include <shmemx.h>
#include <sys/wait.h>

/* Of the Fortran interface. */
void shpdeallc_(void *addr, int *errcode, int *abort);

static long came, lock;
static shmemx_req_t req;

static void in_child(const char *how, long *heap, shmem_team_t team, shmem_ctx_t ctx)
{
    if (!strcmp(how, "call"))
        shmem_barrier_all();
    else if (!strcmp(how, "put"))
        shmem_long_p(&came, 7, t_right());
    else if (!strcmp(how, "init"))
        shmem_init();
    int code = -1, no = 0;
    shpdeallc_(&heap, &code, &no);
    if (code != 0)
        exit(6);
    shmem_clear_lock(&lock);
    shmem_ctx_session_stop(ctx);
    shmemx_req_wait(&req);
    shmem_free(heap);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(team);
    shmem_finalize();
    exit(5); /* the exit handlers run, too */
}

/* A child that is forked while the library is down. */
static void after_finalize(const char *how)
{
    int status = -1;
    shmem_finalize();
    if (t_me == 0) {
        pid_t pid = fork();
        if (pid == 0) {
            if (!strcmp(how, "after-init"))
                shmem_init();
            else
                shmem_my_pe();
            _exit(0);
        }
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFEXITED(status));
        CHECK_EQ(WEXITSTATUS(status), 1);
    }
    shmem_init();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "finalize";
    int status = -1;
    shmem_team_t team;
    shmem_ctx_t ctx;
    pid_t pid;
    t_init();
    if (!strncmp(how, "after-", 6)) {
        after_finalize(how);
        return t_done();
    }
    long *heap = t_malloc(64);
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    CHECK_EQ(shmemx_sync_nb(SHMEM_TEAM_WORLD, &req), 0);
    shmem_barrier_all();
    if (t_me == 0) {
        fflush(stdout);
        shmem_ctx_session_start(ctx, 0, NULL, 0);
        shmem_set_lock(&lock);
        pid = fork();
        if (pid == 0)
            in_child(how, heap, team, ctx);
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFEXITED(status));
        CHECK_EQ(WEXITSTATUS(status), strcmp(how, "finalize") ? 1 : 5);
        shmem_clear_lock(&lock); /* the child has not */
        shmem_ctx_session_stop(ctx);
        usleep(300000); /* who did not wait for this PE sees it */
        for (int pe = 0; pe < t_npes; pe++)
            shmem_long_p(&came, 1, pe);
    }
    shmem_barrier_all();
    shmemx_req_wait(&req);
    CHECK_EQ(came, 1); /* by the PE, not by its child */
    shmem_long_p(heap, t_me, t_right());
    shmem_team_sync(team);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK_EQ(*heap, (t_me + t_npes - 1) % t_npes);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(team);
    shmem_free(heap);
    return t_done();
}
