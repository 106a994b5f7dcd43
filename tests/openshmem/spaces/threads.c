/* Threads create spaces of different teams at the same time, use them and destroy them, in numbers that leave no place
 * free. */
#include "check.h"

#include <shmemx.h>

enum { THREADS = 4, ROUNDS = 12, EACH = 4 };
static shmem_team_t team[THREADS];

static void *act(void *number)
{
    const int t = (int)(intptr_t)number;
    const shmemx_space_config_t config = {.size = (size_t)(t + 1) << 16};
    for (int round = 0; round < ROUNDS; round++) {
        shmemx_space_t space[EACH];
        for (int i = 0; i < EACH; i++) {
            if (shmemx_space_create(&config, team[t], &space[i]))
                T_DIE("no space");
            long *words = shmemx_space_calloc(space[i], (size_t)t_npes, sizeof *words);
            for (int pe = 0; pe < t_npes; pe++)
                shmem_long_atomic_add(&words[t_me], 100 * t + t_me + 1, pe);
            shmem_quiet();
            shmem_team_sync(team[t]);
            CHECK_EACH(t_npes, words[i], 100 * t + i + 1);
        }
        for (int i = 0; i < EACH; i++)
            CHECK_EQ(shmemx_space_destroy(space[i]), 0);
    }
    return NULL;
}

int main(void)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    for (int t = 0; t < THREADS; t++)
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team[t]);
    t_threads(THREADS, act);
    for (int t = 0; t < THREADS; t++)
        shmem_team_destroy(team[t]);
    return t_done();
}
