/* Many teams. `cycles N`: N times made, used and destroyed, in bounded memory. `alive`: 200 at once, all different, all
 * used, destroyed in another order; then as many as there can be, for all PEs and for some: the failure is seen
 * everywhere, and the library goes on.
 * shmem_team_split_strided, shmem_team_split_2d, shmem_team_destroy
 * rules: 111 116 124 188 */
#include "coll/coll.h"

enum { ALIVE = 200, LIMIT = 100000 };
static long source, dest;

static void cycles(int rounds)
{
    long before = 0;
    t_what = "cycles";
    for (int k = 0; k < rounds; k++) {
        shmem_team_t team;
        const int lonely = k % 8 == 7;
        CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, t_npes - 1, -1, lonely ? 1 : t_npes, NULL, 0, &team), 0);
        if (k == rounds / 10)
            before = t_resident();
        CHECK_EQ(shmem_team_my_pe(team), lonely && t_me != t_npes - 1 ? -1 : t_npes - 1 - t_me);
        if (k % 64 == 0 && !lonely) {
            source = k;
            CHECK_EQ(shmem_long_max_reduce(team, &dest, &source, 1), 0);
            CHECK_EQ(dest, k);
        }
        shmem_team_destroy(team);
    }
    /* MPI grows its buffers now and then, by up to some hundred KiB. 16 bytes a team would be above 1 MiB. */
    CHECK(t_resident() - before < 1 << 20);
}

/* Whether all PEs see the same. */
static int agreed(int value)
{
    static int mine, theirs[64];
    mine = value;
    CHECK_EQ(shmem_int_fcollect(SHMEM_TEAM_WORLD, theirs, &mine, 1), 0);
    for (int pe = 0; pe < t_npes; pe++)
        if (!theirs[pe] != !value)
            return 0;
    return 1;
}

static void sum(shmem_team_t team, long want)
{
    source = 1 + t_me;
    CHECK_EQ(shmem_long_sum_reduce(team, &dest, &source, 1), 0);
    CHECK_EQ(dest, want);
}

static void alive(void)
{
    static shmem_team_t teams[ALIVE];
    long want[ALIVE];
    t_what = "200 teams";
    for (int k = 0; k < ALIVE; k++) {
        const int start = k % t_npes, stride = k % 2 ? 1 : -1;
        const int most = stride > 0 ? t_npes - start : start + 1, size = 1 + k / 7 % most;
        want[k] = 0;
        for (int i = 0; i < size; i++)
            want[k] += 1 + start + i * stride;
        CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &teams[k]), 0);
        for (int j = 0; j < k; j++)
            CHECK(teams[k] == SHMEM_TEAM_INVALID || teams[k] != teams[j]);
    }
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < ALIVE; k++)
            if (teams[k] != SHMEM_TEAM_INVALID)
                sum(teams[k], want[k]);
    for (int k = 0; k < ALIVE; k++) {
        const int j = k * 77 % ALIVE;
        shmem_team_destroy(teams[j]);
        if (k == ALIVE / 2)
            for (int i = k + 1; i < ALIVE; i++)
                if (teams[i * 77 % ALIVE] != SHMEM_TEAM_INVALID)
                    sum(teams[i * 77 % ALIVE], want[i * 77 % ALIVE]);
    }
}

static shmem_team_t kept[LIMIT];

/* Teams of the first `size` PEs until there are no more; gives their number. */
static int fill(int size)
{
    int made = 0;
    for (;;) {
        const int failed = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size, NULL, 0, &kept[made]);
        if (failed) {
            CHECK(kept[made] == SHMEM_TEAM_INVALID);
            CHECK(agreed(failed));
            return made;
        }
        CHECK_EQ(kept[made] != SHMEM_TEAM_INVALID, t_me < size);
        if (made % 16 == 0)
            CHECK(agreed(failed));
        if (++made == LIMIT)
            return made; /* no limit to be found */
    }
}

static void exhaust(void)
{
    const long all = (long)t_npes * (t_npes + 1) / 2;
    shmem_team_t team, x, y;
    int made;
    t_what = "all that there can be";
    made = fill(t_npes);
    CHECK(made >= ALIVE);
    if (made < LIMIT) {
        sum(SHMEM_TEAM_WORLD, all);
        sum(kept[0], all);
        sum(kept[made - 1], all);
        CHECK(agreed(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y)));
        CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
        shmem_team_destroy(kept[made / 2]);
        /* room for one: a 2D split needs two and gets none */
        CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, t_npes, NULL, 0, &x, NULL, 0, &y) != 0);
        CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
        CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &kept[made / 2]), 0);
        sum(kept[made / 2], all);
    }
    for (int k = 0; k < made; k++)
        shmem_team_destroy(kept[k]);
    /* full on PE 0 only */
    t_what = "all that PE 0 can have";
    made = fill(1);
    if (made < LIMIT && t_npes > 1) {
        team = SHMEM_TEAM_WORLD;
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, t_npes - 1, -1, t_npes, NULL, 0, &team) != 0);
        CHECK(team == SHMEM_TEAM_INVALID);
        CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, t_npes - 1, NULL, 0, &team), 0);
        if (t_me)
            sum(team, all - 1);
        shmem_team_destroy(team);
    }
    for (int k = 0; k < made; k++)
        shmem_team_destroy(kept[k]);
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    sum(team, all);
    shmem_team_destroy(team);
}

int main(int argc, char **argv)
{
    t_init();
    if (argc > 2)
        cycles(atoi(argv[2]));
    else {
        alive();
        exhaust();
        alive();
    }
    return t_done();
}
