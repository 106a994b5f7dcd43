/* The race detector and OpenMP of gcc. All threads and tasks are ordered, so nothing is reported. With the argument
 * `racy` two tasks are not ordered. Built with -oshmpi-race and -fopenmp. */

#include "check.h"
#include <omp.h>

enum { THREADS = 4, ROUNDS = 100, N = 3200, TASKS = 8 };

static long count, values[N], racy;

static void locks(void)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            omp_set_lock(&lock);
        else
            while (!omp_test_lock(&lock))
                usleep(10);
        count++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

static void nested_locks(void)
{
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            omp_set_nest_lock(&lock);
        else
            while (!omp_test_nest_lock(&lock))
                usleep(10);
        omp_set_nest_lock(&lock);
        count++;
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);
}

static long sum(void)
{
    long all = 0;
    for (int i = 0; i < N; i++)
        all += values[i];
    return all;
}

/* Tasks of loops. `n` is N, which the compiler must not know. */
static void task_loops(unsigned long long n)
{
    long parts = 0, copied[40] = {0, 1};
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        for (int i = 0; i < N; i++)
            values[i] = i;
#pragma omp taskloop grainsize(50)
        for (int i = 0; i < N; i++)
            values[i] -= i;
        CHECK_EQ(sum(), 0);
#pragma omp taskloop num_tasks(16) nogroup firstprivate(copied)
        for (unsigned long long i = 0; i < n; i++) {
            copied[0]++;
            values[i] += copied[1];
        }
#pragma omp taskwait
        CHECK_EQ(sum(), N);
#pragma omp taskloop num_tasks(16) reduction(+ : parts)
        for (int i = 0; i < N; i++)
            parts += values[i];
#pragma omp taskloop if (0)
        for (int i = 0; i < N; i++)
            parts += values[i];
    }
    CHECK_EQ(parts, 2 * N);
}

/* Who makes these tasks waits for them. */
static void tasks_at_once(void)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp task if (0)
        count = i;
        CHECK_EQ(count, i);
#pragma omp task final(1)
        {
#pragma omp task
            count++;
            CHECK_EQ(count, i + 1);
        }
#pragma omp taskwait
    }
}

static void reduction(void)
{
    long all = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : all)
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp task in_reduction(+ : all)
        all += i;
    }
    CHECK_EQ(all, ROUNDS * (ROUNDS - 1) / 2);
}

/* A task that another one ends. */
static void detached(void)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        for (int i = 0; i < TASKS; i++) {
            omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(i)
            {
                values[i] = i;
#pragma omp task
                {
                    values[i]++;
                    omp_fulfill_event(event);
                }
            }
        }
#pragma omp taskwait
        CHECK_EACH(TASKS, values[i], i + 1);
    }
}

static void copied_to_all(void)
{
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < ROUNDS; i++) {
        long *got;
#pragma omp single copyprivate(got)
        {
            got = malloc(sizeof *got);
            *got = i;
            count = i;
        }
        CHECK(*got == i && count == i);
#pragma omp barrier
#pragma omp single
        free(got);
    }
}

/* `never` is 0. A region that can be cancelled has barriers of its own. */
static void cancellable(int never)
{
#pragma omp parallel num_threads(THREADS)
    {
        values[omp_get_thread_num()] = 1;
#pragma omp barrier
        CHECK_EQ(values[(omp_get_thread_num() + 1) % omp_get_num_threads()], 1);
#pragma omp barrier
#pragma omp for schedule(dynamic, 8)
        for (int i = 0; i < N; i++) {
            values[i] = 1;
#pragma omp cancel for if (never)
        }
        CHECK_EQ(sum(), N);
#pragma omp cancel parallel if (never)
    }
}

static void race(void)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
        racy++;
    }
}

int main(int argc, char **argv)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    locks();
    nested_locks();
    tasks_at_once();
    copied_to_all();
#ifndef __clang__ /* whose runtime does not say what the detector must know here */
    task_loops((unsigned long long)(argc > 0 ? N : 0));
    reduction();
    detached();
#endif
    cancellable(argc < 0);
    if (argc > 1 && !strcmp(argv[1], "racy"))
        race();
    return t_done();
}
