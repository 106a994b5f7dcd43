/* The race detector and many teams, more in a life than it has room for at a time: what a barrier of the last one
 * orders is ordered, and what it does not order is a race. The argument says how many splits. With `keep` the teams are
 * kept as long as there may be. Built with -oshmpi-race. */

#define _GNU_SOURCE
#include "log.h"

enum { CHECKS = 8 };

#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define VARIABLES(i) static long racy_##i[2], ordered_##i[2];
EACH(VARIABLES)
static const long values[2] = {1, 2};
static unsigned char seen[2 * CHECKS], seen_by_all[2 * CHECKS];
static volatile long sink;

/* PE 0 puts to the last PE. */
static void put(long *v)
{
    if (t_me == 0)
        shmem_long_put(v, values, 2, t_npes - 1);
}

/* That one loads behind a sync of the team. A pair of places is reported once, so each check has places of its own. */
#define CHECKED(i)                              \
    static void check_##i(shmem_team_t team)    \
    {                                           \
        put(ordered_##i);                       \
        shmem_quiet();                          \
        shmem_team_sync(team);                  \
        if (t_me == t_npes - 1)                 \
            sink += ordered_##i[0];             \
        shmem_team_sync(team);                  \
        put(racy_##i);                          \
        shmem_team_sync(team);                  \
        if (t_me == t_npes - 1)                 \
            sink += racy_##i[0];                \
    }
EACH(CHECKED)
#define CHECK_OF(i) check_##i,
static void (*const checks[])(shmem_team_t) = {EACH(CHECK_OF)};

int main(int argc, char **argv)
{
    int splits = argc > 1 ? atoi(argv[1]) : 600, keep = argc > 2;
    log_start();
    setenv("OSHMPI_RACE", "exitcode=0,reports=1000", 1);
    t_init();
    shmem_team_t team, *teams = calloc((size_t)splits, sizeof *teams);
    for (int i = 0; i < splits; i++) {
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team);
        CHECK(team != SHMEM_TEAM_INVALID);
        teams[i] = team;
        checks[i / ((splits + CHECKS - 1) / CHECKS)](team);
        shmem_barrier_all();
        if (!keep)
            shmem_team_destroy(team);
    }
    for (int i = 0; i < splits && keep; i++)
        shmem_team_destroy(teams[i]);
    free(teams);
    char *log = log_text();
    for (int i = 0; i < CHECKS; i++) {
        char number[12];
        snprintf(number, sizeof number, "%d", i);
        seen[i] = logged(log, "racy", number);
        seen[CHECKS + i] = logged(log, "ordered", number);
    }
    free(log);
    shmem_uchar_max_reduce(SHMEM_TEAM_WORLD, seen_by_all, seen, 2 * CHECKS);
    for (int i = 0; i < CHECKS && t_me == 0; i++) {
        CHECK_EQ(seen_by_all[i], 1);
        CHECK_EQ(seen_by_all[CHECKS + i], 0);
    }
    return t_done();
}
