/* The race detector and many regions and tasks of OpenMP, more than it has room for at a time: what the last one
 * orders is ordered, and what it does not order is a race. The argument says how many. Built with -oshmpi-race and
 * -fopenmp. */

#define _GNU_SOURCE
#include "log.h"
#include <omp.h>

enum { THREADS = 2 };

static long ordered_count, ordered_task, racy_first, racy_last;
static unsigned char seen[3], seen_by_all[3];

/* Without a critical section, two threads race. */
static void race_on(long *v)
{
#pragma omp parallel num_threads(THREADS)
    *(volatile long *)v = omp_get_thread_num();
}

static void another_race_on(long *v)
{
#pragma omp parallel num_threads(THREADS)
    *(volatile long *)v += 1;
}

int main(int argc, char **argv)
{
    int regions = argc > 1 ? atoi(argv[1]) : 3000;
    log_start();
    setenv("OSHMPI_RACE", "exitcode=0", 1);
    t_init();
    race_on(&racy_first);
    for (int i = 0; i < regions; i++) {
        omp_lock_t lock;
        omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
        {
            omp_set_lock(&lock);
            ordered_count++;
            omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
            {
#pragma omp task
                ordered_task++;
#pragma omp taskwait
                ordered_task++;
            }
        }
        omp_destroy_lock(&lock);
        ordered_count++;
    }
    another_race_on(&racy_last);
    CHECK_EQ(ordered_count, (THREADS + 1L) * regions);
    CHECK_EQ(ordered_task, 2L * regions);
    shmem_barrier_all();
    char *log = log_text();
    seen[0] = logged(log, "racy", "first");
    seen[1] = logged(log, "racy", "last");
    seen[2] = logged(log, "ordered", "count") | logged(log, "ordered", "task");
    free(log);
    shmem_uchar_max_reduce(SHMEM_TEAM_WORLD, seen_by_all, seen, 3);
    CHECK(seen_by_all[0] && seen_by_all[1] && !seen_by_all[2]);
    return t_done();
}
