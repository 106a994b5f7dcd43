/* What a PE sends through MPI in some collective calls, counted by the preloaded pmpi_count.c. PE 0 prints a line for
 * each: name, then the most that any PE has sent: messages, bytes, calls of MPI's collectives. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNTS = 3, WARM = 1, TIMES = 2 };
__attribute__((weak)) void pmpi_counts(unsigned long long counts[COUNTS]);

static long one = 1, sum;
static unsigned long long spent[COUNTS], most[COUNTS];

static void barrier(void) { shmem_barrier_all(); }
static void reduce(void) { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1); }
static void malloc_free(void) { shmem_free(shmem_malloc(64)); }
static void split_destroy(void)
{
    shmem_team_t team;
    if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team) != 0)
        shmem_global_exit(2);
    shmem_team_destroy(team);
}
static void split_sync_destroy(void)
{
    shmem_team_t team;
    if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team) != 0)
        shmem_global_exit(2);
    shmem_team_sync(team);
    shmem_team_destroy(team);
}

static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {{"barrier_all", barrier}, {"sum_reduce_of_a_word", reduce}, {"malloc_free", malloc_free},
             {"split_destroy", split_destroy}, {"split_sync_destroy", split_sync_destroy}};

int main(void)
{
    unsigned long long before[COUNTS], after[COUNTS];
    shmem_init();
    if (!pmpi_counts) {
        fputs("calls: pmpi_count is not preloaded\n", stderr);
        shmem_global_exit(2);
    }
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
        for (int i = 0; i < WARM; i++)
            calls[c].call();
        pmpi_counts(before);
        for (int i = 0; i < TIMES; i++)
            calls[c].call();
        pmpi_counts(after);
        for (int k = 0; k < COUNTS; k++)
            spent[k] = after[k] - before[k];
        shmem_ulonglong_max_reduce(SHMEM_TEAM_WORLD, most, spent, COUNTS);
        if (shmem_my_pe() == 0)
            printf("%s %g %g %g\n", calls[c].name, most[0] / (double)TIMES, most[1] / (double)TIMES,
                   most[2] / (double)TIMES);
    }
    shmem_finalize();
    return 0;
}
