/* Active sets of all shapes, again and again: more of them than a library would keep anything for, some not used for
 * a long time, with barriers of all PEs between; then teams, used little and much and ended or left, with sets used
 * in between. shmem_{long_sum,int_max}_to_all, shmem_broadcast64, shmem_fcollect64, shmem_sync, shmem_barrier_all
 * rules: 182 207 220 221 222 227 */
#include "check.h"

enum { MOST = 64 };
/* A pSync is used again when everybody has been in another set. */
static long syncs[2][9][SHMEM_REDUCE_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long mine[3], sum[3], all[MOST], root[2];
static int iwork[SHMEM_REDUCE_MIN_WRKDATA_SIZE], imine, imax, turn;

/* One set at work, in all ways; nothing on PEs outside. Buffers are everybody's: there is a barrier of the members
 * between two uses. */
static void use(int start, int log_stride, int size)
{
    const int i = (t_me - start) >> log_stride, from = size / 2;
    long(*sync)[SHMEM_REDUCE_SYNC_SIZE] = syncs[turn++ & 1];
    if (t_me < start || i >= size || start + (i << log_stride) != t_me)
        return;
    shmem_sync(start, log_stride, size, sync[0]);
    for (int k = 0; k < 3; k++)
        mine[k] = (t_me + 1) * 1000L * (k + 1) + turn;
    imine = -t_me;
    root[0] = -1;
    shmem_sync(start, log_stride, size, sync[1]);
    shmem_long_sum_to_all(sum, mine, 3, start, log_stride, size, work, sync[2]);
    for (int k = 0; k < 3; k++) {
        long want = 0;
        for (int m = 0; m < size; m++)
            want += (start + (m << log_stride) + 1) * 1000L * (k + 1) + turn;
        CHECK_EQ(sum[k], want);
    }
    shmem_sync(start, log_stride, size, sync[3]);
    shmem_int_max_to_all(&imax, &imine, 1, start, log_stride, size, iwork, sync[4]);
    CHECK_EQ(imax, -start);
    shmem_sync(start, log_stride, size, sync[5]);
    shmem_fcollect64(all, mine, 1, start, log_stride, size, sync[6]);
    CHECK_EACH(size, all[i], (start + (i << log_stride) + 1) * 1000L + turn);
    shmem_broadcast64(root, mine, 2, from, start, log_stride, size, sync[7]);
    if (i != from)
        CHECK_EQ(root[0], (start + (from << log_stride) + 1) * 1000L + turn);
    shmem_sync(start, log_stride, size, sync[8]);
}

/* All sets with so many members and more. */
static void use_all(int smallest)
{
    for (int log_stride = 0; 1 << log_stride < t_npes; log_stride++)
        for (int start = 0; start < t_npes; start++)
            for (int size = smallest; start + ((size - 1) << log_stride) < t_npes; size++)
                use(start, log_stride, size);
}

static void barriers(int times)
{
    while (times--)
        shmem_barrier_all();
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 2;
    t_init();
    CHECK(t_npes <= MOST);
    for (int k = 0; k < 2; k++)
        for (int step = 0; step < 9; step++)
            for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
                syncs[k][step][i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int round = 0; round < rounds; round++) {
        use_all(1);
        barriers(70); /* what is used in here stays, the others are old */
        use(0, 0, t_npes);
        use(t_npes / 2, 0, t_npes - t_npes / 2);
        barriers(70);
        use_all(t_npes / 2 + 1);
        barriers(70);
        for (int i = 0; i < 3; i++) {
            shmem_team_t part;
            const int size = t_npes - i % t_npes;
            shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size, NULL, 0, &part);
            if (part != SHMEM_TEAM_INVALID) {
                imine = 1;
                CHECK_EQ(shmem_team_n_pes(part), size);
                for (int k = 0; k < 5 + 10 * i; k++)
                    shmem_team_sync(part);
                CHECK_EQ(shmem_int_sum_reduce(part, &imax, &imine, 1), 0);
                CHECK_EQ(imax, size);
            }
            use(0, 0, size); /* the same PEs as a set, while there is the team */
            if (round + 1 < rounds || i == 0)
                shmem_team_destroy(part); /* the others are left to shmem_finalize */
        }
    }
    shmem_barrier_all();
    return t_done();
}
