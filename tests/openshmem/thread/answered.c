/* A thread that waits is let go by another thread of the same PE, which does an AMO or a put to the own PE, and by
 * threads of other PEs; a thread that is blocked in a collective holds up no other thread.
 * rules: 48 82 83 84 85 */
#include "check.h"

#include <pthread.h>

static long flag, answer, far, gate;
static int wide;
static shmem_team_t team;

/* Waits by looking at memory alone, then answers. */
static void *waiter(void *arg)
{
    t_spin(&flag, 1);
    shmem_long_atomic_add(&answer, 5, t_me);
    return arg;
}

/* Waits by AMO. */
static void *asker(void *arg)
{
    t_wait(&far, t_npes);
    shmem_long_atomic_add(&answer, 7, t_me);
    return arg;
}

/* Blocked until the last PE comes, which it does when it sees the gate open. */
static void *meeter(void *arg)
{
    if (t_me == t_npes - 1)
        t_wait(&gate, t_npes);
    CHECK_EQ(shmem_team_sync(team), 0);
    wide = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    for (int round = 1; round <= 20; round++) {
        flag = answer = far = gate = wide = 0;
        shmem_barrier_all();
        pthread_create(&threads[0], NULL, waiter, NULL);
        pthread_create(&threads[1], NULL, asker, NULL);
        pthread_create(&threads[2], NULL, meeter, NULL);
        /* this thread goes on while the others wait */
        if (round % 2)
            usleep(300);
        for (int pe = 0; pe < t_npes; pe++)
            shmem_long_atomic_inc(&far, pe);
        if (round % 3)
            shmem_long_atomic_set(&flag, 1, t_me);
        else
            shmem_long_p(&flag, 1, t_me);
        t_wait(&answer, 12);
        shmem_long_atomic_inc(&gate, t_npes - 1);
        for (int k = 0; k < 3; k++)
            pthread_join(threads[k], NULL);
        CHECK_EQ(answer, 12);
        CHECK_EQ(wide, 1);
        shmem_barrier_all();
    }
    shmem_team_destroy(team);
    return t_done();
}
