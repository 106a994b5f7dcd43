/* Floating-point sums of numbers whose sum depends on the order: in teams and active sets of many layouts all members
 * get the same bits, and get them again in each of ten calls, of few and of many elements, in place or not.
 * shmem_double_sum_reduce, shmem_double_sum_to_all, shmem_double_sum_inscan
 * rules: 209 210 216 */
#include "coll/coll.h"

enum { MOST = 100000, RUNS = 10 };
static double source[MOST], dest[MOST], first[MOST], theirs[MOST];
static double work[MOST];
static long sync_words[SHMEM_REDUCE_SYNC_SIZE];

/* Numbers of very different sizes: an element of a member is the same in each run. */
static void fill(double *to, size_t n, int member)
{
    uint64_t state = 0x9e3779b97f4a7c15u + 99991 * (uint64_t)member;
    for (size_t i = 0; i < n; i++)
        to[i] = ldexp((double)(t_random(&state) % 1000003) / 1000003 - 0.5, (int)(t_random(&state) % 80) - 40);
}

static void same(const char *what, const double *one, const double *other, size_t n, int run, const t_group *g)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&one[i], &other[i], sizeof *one)) {
            t_fail(__FILE__, __LINE__, "%s, run %d, %d members: element %zu of %zu differs", what, run, g->size, i, n);
            return;
        }
}

static void runs(const t_group *g, size_t n)
{
    for (int run = 0; run < RUNS; run++) {
        double *from = run % 2 ? dest : source;
        fill(from, n, g->me);
        CHECK_EQ(shmem_team_sync(g->team), 0);
        CHECK_EQ(shmem_double_sum_reduce(g->team, dest, from, n), 0);
        if (run == 0)
            memcpy(first, dest, n * sizeof *dest);
        same("reduce", dest, first, n, run, g);
        CHECK_EQ(shmem_team_sync(g->team), 0);
        shmem_getmem(theirs, dest, n * sizeof *dest, t_world(g, 0));
        same("reduce, beside member 0", dest, theirs, n, run, g);
        CHECK_EQ(shmem_team_sync(g->team), 0);
    }
    for (int run = 0; run < RUNS; run++) {
        fill(source, n, g->me);
        CHECK_EQ(shmem_team_sync(g->team), 0);
        CHECK_EQ(shmem_double_sum_inscan(g->team, dest, source, n), 0);
        if (run == 0)
            memcpy(first, dest, n * sizeof *dest);
        same("inscan", dest, first, n, run, g);
        CHECK_EQ(shmem_team_sync(g->team), 0);
    }
}

/* Every second PE, as an active set. */
static void set_runs(int n)
{
    const t_group g = {SHMEM_TEAM_INVALID, 0, 2, (t_npes + 1) / 2, t_me / 2};
    for (int run = 0; t_me % 2 == 0 && run < RUNS; run++) {
        fill(source, (size_t)n, g.me);
        shmem_sync(0, 1, g.size, sync_words);
        shmem_double_sum_to_all(dest, source, n, 0, 1, g.size, work, sync_words);
        if (run == 0)
            memcpy(first, dest, (size_t)n * sizeof *dest);
        same("sum_to_all", dest, first, (size_t)n, run, &g);
        shmem_sync(0, 1, g.size, sync_words);
        shmem_getmem(theirs, dest, (size_t)n * sizeof *dest, 0);
        same("sum_to_all, beside PE 0", dest, theirs, (size_t)n, run, &g);
        shmem_sync(0, 1, g.size, sync_words);
    }
}

int main(void)
{
    static const size_t counts[] = {1, 7, 300, 5000, MOST};
    t_group groups[T_GROUPS];
    t_init();
    int made = t_groups(groups);
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (int k = 0; k < made; k++)
            if (groups[k].me >= 0)
                runs(&groups[k], counts[c]);
        shmem_barrier_all();
        set_runs((int)counts[c]);
        shmem_barrier_all();
    }
    t_groups_destroy(groups, made);
    return t_done();
}
