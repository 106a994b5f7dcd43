/* Threads with small stacks: routines need little, and the first init says what it lacks. MPI_Init needs the most. */
#include <pthread.h>
#include <limits.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long word, words[8];

static void *begin(void *unused)
{
    shmem_init();
    return unused;
}

static void *call(void *unused)
{
    int next = (shmem_my_pe() + 1) % shmem_n_pes();
    long *block = shmem_calloc(16, sizeof(long));
    shmem_long_put(words, words + 4, 4, next);
    shmem_long_atomic_fetch_add(&word, 1, next);
    shmem_barrier_all();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block, block + 8, 4);
    shmem_quiet();
    shmem_free(block);
    return unused;
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    int mpi = argc > 1 && strcmp(argv[1], "mpi") == 0, small = mpi || (argc > 1 && strcmp(argv[1], "init") == 0);
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, mpi ? 128 << 10 : PTHREAD_STACK_MIN);
    if (small && rank && atoi(rank) == 0) { /* one PE says it */
        pthread_create(&thread, &attr, begin, NULL);
        pthread_join(thread, NULL);
    }
    shmem_init();
    if (pthread_create(&thread, &attr, call, NULL) != 0)
        shmem_global_exit(3);
    pthread_join(thread, NULL);
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        puts(word == 1 ? "ok" : "the word is wrong");
    shmem_finalize();
    return 0;
}
