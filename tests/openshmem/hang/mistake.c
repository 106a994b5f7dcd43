/* Mistakes that keep PEs waiting for ever. Each ends the job, or is told by a report, with a line that names who waits
 * for whom. The first argument is the mistake, of the last PE where one PE makes it:
 *   skip      it goes to shmem_finalize, the others to one barrier more
 *   flag      all PEs wait for a word that nobody changes
 *   mixed     it waits for a word that nobody changes, the others are in a barrier
 *   started   as mixed, where the others wait for a collective that they have started
 *   lock      PE 0 keeps a lock, the others want it
 *   return    it returns from main, the others are in a barrier;  wait: the others wait for a word
 *   exit      it calls exit(0), the others are in a barrier;  elsewhere: in a reduction
 *   team      it returns from main, the others synchronize a team with it
 *   pair      the PE before it waits in a barrier of both, all others go to shmem_finalize
 *   quick     it calls _exit(0), the others are in a barrier
 *   child     its forked child wants to go on in its place, and it calls _exit(0)
 *   collect   it returns from main, the others make three collects
 *   before    it returns from main before shmem_init; the second argument is the number of PEs
 *   pe        it names a PE that is not there
 * With `rescued` behind the first four: the word is changed or the lock released after two seconds, and the job ends
 * well.
 * rules: 45 60 */
#include "check.h"

#include <shmemx.h>

static long flag, lock, sum, part = 1, all[64], psync[SHMEM_BARRIER_SYNC_SIZE];

static void rescue(int sig)
{
    (void)sig;
    *(volatile long *)&flag = 3;
}

/* What may be rescued. */
static void report(const char *what, int is_last, int rescued)
{
    if (rescued) {
        signal(SIGALRM, rescue);
        alarm(2);
    }
    if (!strcmp(what, "lock")) {
        if (t_me == 0)
            shmem_set_lock(&lock);
        shmem_barrier_all();
        if (t_me == 0 && rescued) {
            sleep(2);
            shmem_clear_lock(&lock);
        } else if (t_me != 0) {
            shmem_set_lock(&lock);
            shmem_clear_lock(&lock);
        }
    } else if (is_last || !strcmp(what, "flag"))
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 3);
    if (!strcmp(what, "started")) {
        shmemx_req_t req;
        shmemx_sync_nb(SHMEM_TEAM_WORLD, &req);
        shmemx_req_wait(&req);
    }
    shmem_barrier_all();
}

static void mistake(const char *what, int is_last)
{
    if (is_last) {
        if (!strcmp(what, "skip"))
            shmem_finalize();
        if (!strcmp(what, "exit") || !strcmp(what, "elsewhere"))
            exit(0);
        if (!strcmp(what, "quick") || (!strcmp(what, "child") && fork() != 0))
            _exit(0);
        if (strcmp(what, "child"))
            return;
    } else if (!strcmp(what, "elsewhere"))
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &part, 1);
    else if (!strcmp(what, "wait"))
        shmem_long_wait_until(&flag, SHMEM_CMP_NE, 0);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "flag";
    if (!strcmp(what, "before") && t_launched_as() == atoi(argv[2]) - 1)
        return 0;
    t_init();
    int is_last = t_me == t_npes - 1, rescued = argc > 2 && !strcmp(argv[2], "rescued");
    shmem_team_t team;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    shmem_barrier_all();
    if (!strcmp(what, "flag") || !strcmp(what, "mixed") || !strcmp(what, "started") ||
        !strcmp(what, "lock")) {
        report(what, is_last, rescued);
        return t_done();
    }
    if (!strcmp(what, "pe")) {
        if (t_me == 0)
            puts("ok");
        fflush(stdout);
        shmem_barrier_all();
        if (is_last)
            shmem_long_p(&flag, 1, t_npes);
        shmem_barrier_all();
    }
    if (!strcmp(what, "pair")) {
        for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
            psync[i] = SHMEM_SYNC_VALUE;
        shmem_barrier_all();
        if (t_me == t_npes - 2)
            shmem_barrier(t_me, 0, 2, psync);
        shmem_finalize();
        return 0;
    }
    if (!strcmp(what, "team") && !is_last)
        shmem_team_sync(team);
    if (!strcmp(what, "collect") && !is_last)
        for (int i = 0; i < 3; i++)
            shmem_long_collect(SHMEM_TEAM_WORLD, all, &part, 1);
    mistake(what, is_last);
    return 0;
}
