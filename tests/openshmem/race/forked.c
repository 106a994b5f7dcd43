/* The race detector and a process that a PE forks: its exit code is its own, whatever races there are, and nothing is
 * noted there. Built with -oshmpi-race. */

#define _GNU_SOURCE
#include "check.h"
#include <sys/wait.h>

enum { PAGES = 100, PAGE = 4096 };

static long racy;

int main(void)
{
    t_init();
    if (t_me == 0)
        shmem_long_p(&racy, 1, 1);
    else if (t_me == 1)
        racy = 2;
    shmem_barrier_all();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        volatile char *fresh = malloc(PAGES * PAGE);
        for (int i = 0; i < PAGES; i++)
            fresh[i * PAGE] = 1;
        exit(0);
    }
    int status = -1;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK_EQ(status, 0);
    return t_done();
}
