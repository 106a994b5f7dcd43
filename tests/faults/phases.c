/* A job that stands in one phase until something breaks (cargo xtask faults). Arguments: the phase, and a directory in
 * which every PE writes its process number into a file with its own number for a name when it is there.
 *
 * PE 1 stays outside of what the others wait in. The last PE is the one that breaks: SIGUSR1 makes it leave by
 * _exit(7), SIGUSR2 by _exit(0). In the phase "print" PEs print 2000 lines of 100 bytes and end. */
#include <fcntl.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long lock, words[64], sums[64];
static const char *directory;
static int number, count;

static void leave(int signal)
{
    _exit(signal == SIGUSR1 ? 7 : 0);
}

/* The number that the launcher has given, or -1. */
static int launched(const char *const *names)
{
    for (; *names; names++)
        if (getenv(*names))
            return atoi(getenv(*names));
    return -1;
}

static void is_there(void)
{
    char name[4096], hidden[4200];
    snprintf(name, sizeof name, "%s/%d", directory, number);
    snprintf(hidden, sizeof hidden, "%s/.%d", directory, number);
    FILE *file = fopen(hidden, "w");
    if (!file || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file) || rename(hidden, name))
        abort();
}

static void stay(void)
{
    is_there();
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    static const char *const ranks[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", NULL};
    static const char *const sizes[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", NULL};
    if (argc < 3)
        return 2;
    const char *phase = argv[1];
    directory = argv[2];
    number = launched(ranks);
    count = launched(sizes);
    const int late = number == 1, last = number == count - 1;
    signal(SIGUSR1, leave);
    signal(SIGUSR2, leave);
    if (!strcmp(phase, "before-init") && last)
        stay();
    if (!strcmp(phase, "in-init") && late)
        stay();
    if (strstr(phase, "-init"))
        is_there();
    shmem_init();
    shmem_barrier_all();
    if (!strcmp(phase, "print")) {
        for (int i = 0; i < 2000; i++)
            printf("%99d\n", i);
        shmem_finalize();
        return 0;
    }
    if (!strcmp(phase, "lock") && last) {
        shmem_set_lock(&lock);
        stay();
    }
    if (strcmp(phase, "put") != 0 && strcmp(phase, "lock") != 0 && late)
        stay();
    is_there();
    if (!strcmp(phase, "barrier"))
        shmem_barrier_all();
    else if (!strcmp(phase, "collective"))
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, words, 64);
    else if (!strcmp(phase, "lock")) {
        /* The last PE comes first: it writes its file when it has the lock. */
        char name[4096];
        snprintf(name, sizeof name, "%s/%d", directory, count - 1);
        while (access(name, F_OK))
            usleep(1000);
        shmem_set_lock(&lock);
    } else if (!strcmp(phase, "put"))
        for (;;) {
            shmem_long_put(sums, words, 64, (number + 1) % count);
            shmem_quiet();
        }
    shmem_finalize();
    return 0;
}
