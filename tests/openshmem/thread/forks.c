/* Two threads of a PE fork at the same time, again and again: every child has all statics as they were.
 * rules: 29 */
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>

enum { FORKS = 150 };
static char pattern[1 << 20], expected[1 << 20];
static char *aside; /* the heap's is no child's own; malloc's is */

static void *forks(void *bad)
{
    for (int i = 0; i < FORKS; i++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0)
            _exit(memcmp(pattern, aside, sizeof pattern) != 0 || memcmp(expected, aside, sizeof expected) != 0);
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
            ++*(int *)bad;
    }
    return NULL;
}

int main(void)
{
    int bad[2] = {0, 0}, provided;
    pthread_t other;
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided), 0);
    t_begin();
    t_fill(pattern, sizeof pattern, 3);
    memcpy(expected, pattern, sizeof expected);
    aside = malloc(sizeof pattern);
    memcpy(aside, pattern, sizeof pattern);
    shmem_barrier_all();
    CHECK_EQ(pthread_create(&other, NULL, forks, &bad[0]), 0);
    forks(&bad[1]);
    pthread_join(other, NULL);
    CHECK_EQ(bad[0], 0);
    CHECK_EQ(bad[1], 0);
    shmem_barrier_all();
    free(aside);
    return t_done();
}
