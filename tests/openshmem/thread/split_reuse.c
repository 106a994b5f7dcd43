/* Two threads of a PE split different parents. While one thread is inside its split, the other makes a team in the slot
 * that the first thread has chosen, synchronises it a thousand times and destroys it. The first thread's team begins
 * behind those rounds, and is not misled by the words that they have left in the slot.
 * rules: 84 106 124 */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>

enum { FILLING = 11, ROUNDS = 1000 };
static long dest, source;
static shmem_team_t pair;

static void *come_and_go(void *unused)
{
    shmem_team_t team;
    usleep(200000); /* the other thread waits for PE 0 by then */
    CHECK_EQ(shmem_team_split_strided(pair, 0, 1, 2, NULL, 0, &team), 0);
    for (int i = 0; i < ROUNDS; i++)
        CHECK_EQ(shmem_team_sync(team), 0);
    shmem_team_destroy(team);
    return unused;
}

int main(void)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    shmem_team_t fill[FILLING], keep = SHMEM_TEAM_INVALID, world;
    pthread_t thread;
    /* Splits of the world take the lowest slot, those of `pair` one far from it while that is free. */
    for (int i = 0; i < FILLING; i++)
        CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &fill[i]), 0);
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, 2, NULL, 0, &pair), 0);
    if (t_me == 1 || t_me == 2) {
        CHECK_EQ(shmem_team_split_strided(pair, 0, 1, 2, NULL, 0, &keep), 0);
        shmem_barrier_all();
        CHECK_EQ(pthread_create(&thread, NULL, come_and_go, NULL), 0);
    } else {
        shmem_barrier_all();
        sleep(1);
    }
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &world), 0);
    if (t_me == 1)
        usleep(300000); /* a PE that is misled finds the words of an earlier round and does not wait */
    source = 42 + t_me;
    CHECK_EQ(shmem_long_broadcast(world, &dest, &source, 1, 1), 0);
    CHECK_EQ(dest, 43);
    CHECK_EQ(shmem_team_sync(world), 0);
    if (t_me == 1 || t_me == 2)
        pthread_join(thread, NULL);
    shmem_barrier_all();
    return t_done();
}
