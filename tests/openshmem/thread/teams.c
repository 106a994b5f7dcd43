/* Every thread of a PE has a team of its own and is in its collectives, at the same time as the other threads in theirs
 * and in RMA; teams are split, used and destroyed by several threads at once; active sets of one thread beside teams of
 * others.
 * rules: 82 84 106 121 124 188 */
#include "coll/coll.h"

enum { THREADS = 12, ROUNDS = 60, N = 300, SPLITS = 200 };
static long source[THREADS][N], dest[THREADS][2][N * 8], sync_[2][SHMEM_SYNC_SIZE], work_[N], cell;
static shmem_team_t teams[THREADS];

static long value(int t, int r, int i, int member) { return (long)t * 1000003 + r * 997 + i * 31 + member * 7; }

static void collectives(shmem_team_t team, int t, int rounds)
{
    const int size = shmem_team_n_pes(team), me = shmem_team_my_pe(team);
    for (int r = 0; r < rounds; r++) {
        const int n = r % 3 ? 5 : N, root = (r + t) % size;
        long *d = dest[t][r % 2];
        for (int i = 0; i < N; i++)
            source[t][i] = value(t, r, i, me);
        CHECK_EQ(shmem_long_sum_reduce(team, d, source[t], (size_t)n), 0);
        for (int i = 0; i < n; i++) {
            long want = 0;
            for (int m = 0; m < size; m++)
                want += value(t, r, i, m);
            CHECK_EQ(d[i], want);
        }
        CHECK_EQ(shmem_team_sync(team), 0); /* dest is ready for the next call on all members */
        CHECK_EQ(shmem_long_fcollect(team, d, source[t], (size_t)n), 0);
        CHECK_EACH(n * size, d[i], value(t, r, i % n, i / n));
        CHECK_EQ(shmem_team_sync(team), 0);
        CHECK_EQ(shmem_long_broadcast(team, d, source[t], (size_t)n, root), 0);
        CHECK_EACH(n, d[i], value(t, r, i, root));
        CHECK_EQ(shmem_team_sync(team), 0);
    }
}

static void sets(int rounds)
{
    for (int r = 0; r < rounds; r++) {
        long *d = dest[0][r % 2];
        for (int i = 0; i < 7; i++)
            source[0][i] = value(0, r, i, t_me);
        shmem_long_sum_to_all(d, source[0], 7, 0, 0, t_npes, work_, sync_[r % 2]);
        for (int i = 0; i < 7; i++) {
            long want = 0;
            for (int m = 0; m < t_npes; m++)
                want += value(0, r, i, m);
            CHECK_EQ(d[i], want);
        }
    }
}

static void *work(void *arg)
{
    const int t = (int)(intptr_t)arg;
    if (t == 0)
        sets(ROUNDS);
    else
        collectives(teams[t], t, ROUNDS);
    if (t == 1)
        for (int r = 0; r < 1000; r++)
            shmem_long_atomic_inc(&cell, t_right());
    /* each thread goes on to split its own team, all at once */
    for (int r = 0; t > 0 && r < SPLITS; r++) {
        const int size = shmem_team_n_pes(teams[t]);
        shmem_team_t inner;
        CHECK_EQ(shmem_team_split_strided(teams[t], size - 1, -1, size, NULL, 0, &inner), 0);
        CHECK_EQ(shmem_team_translate_pe(inner, 0, teams[t]), size - 1);
        if (r % 50 == 0)
            collectives(inner, t, 2);
        shmem_team_destroy(inner);
    }
    return NULL;
}

int main(void)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
            sync_[k][i] = SHMEM_SYNC_VALUE;
    for (int t = 1; t < THREADS; t++)
        CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, t % 2 ? 0 : t_npes - 1, t % 2 ? 1 : -1, t_npes, NULL, 0,
                                          &teams[t]),
                 0);
    shmem_barrier_all();
    t_threads(THREADS, work);
    shmem_barrier_all();
    CHECK_EQ(cell, 1000);
    for (int t = 1; t < THREADS; t++)
        shmem_team_destroy(teams[t]);
    return t_done();
}
