/* The race detector and a process that a PE forks: its exit code is its own, whatever races there are, and nothing is
 * noted there, of its threads neither. With the argument `quiet` there is no race. Built with -oshmpi-race. */

#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>

enum { PAGES = 100, PAGE = 4096 };

static long racy, of_parent;

static void *stores(void *arg)
{
    of_parent = 2;
    return arg;
}

int main(int argc, char **argv)
{
    (void)argv;
    t_init();
    of_parent = 1;
    if (argc > 1)
        racy = 2;
    else if (t_me == 0)
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
        pthread_t thread;
        exit(pthread_create(&thread, NULL, stores, NULL) || pthread_join(thread, NULL));
    }
    int status = -1;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK_EQ(status, 0);
    CHECK_EQ(of_parent, 1); /* the child has its own */
    return t_done();
}
