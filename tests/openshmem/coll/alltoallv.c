/* shmemx_alltoallv and its team form: blocks of other lengths for each pair, and what they cost. */
#include "check.h"
#include <shmemx.h>

enum { MOST = 16, LONGEST = 2 * MOST };

static char to[MOST * LONGEST], from[MOST * LONGEST];
static size_t t_offsets[MOST], t_sizes[MOST], s_offsets[MOST], s_sizes[MOST];
static long psync[SHMEM_ALLTOALL_SYNC_SIZE];

/* Bytes from one member to another: from 0 to LONGEST. */
static size_t length(int sender, int receiver)
{
    return (size_t)(7 * sender + 5 * receiver + 3 * sender * receiver) % (LONGEST + 1);
}

/* Member `me` of `n` fills what it sends, last block first, and chooses where it receives. */
static void prepare(int me, int n)
{
    size_t end = sizeof from;
    memset(to, -1, sizeof to);
    for (int i = 0; i < n; i++) {
        s_sizes[i] = length(me, i);
        s_offsets[i] = end -= s_sizes[i];
        memset(from + end, 16 * me + i, s_sizes[i]);
        t_offsets[i] = (size_t)((i + me) % n) * LONGEST;
        t_sizes[i] = 999;
    }
}

static void check(int me, int n)
{
    for (int i = 0; i < n; i++) {
        size_t len = length(i, me);
        CHECK_EQ(t_sizes[i], len);
        for (size_t b = 0; b < LONGEST; b++)
            CHECK_EQ((unsigned char)to[t_offsets[i] + b], b < len ? (unsigned char)(16 * i + me) : 255);
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    (void)argv;
    t_init();
    for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; i++)
        psync[i] = SHMEM_SYNC_VALUE;
    uint64_t writes[2], reads[2];
    shmem_barrier_all();
    for (int round = 0; round < 3; round++) {
        prepare(t_me, t_npes);
        shmemx_pcntr_get_issued_write(SHMEM_CTX_DEFAULT, &writes[0]);
        shmemx_pcntr_get_issued_read(SHMEM_CTX_DEFAULT, &reads[0]);
        shmemx_alltoallv(to, t_offsets, t_sizes, from, s_offsets, s_sizes, 0, 0, t_npes, psync);
        shmemx_pcntr_get_issued_write(SHMEM_CTX_DEFAULT, &writes[1]);
        shmemx_pcntr_get_issued_read(SHMEM_CTX_DEFAULT, &reads[1]);
        /* With an argument all operations are counted. An empty block is no operation. */
        if (argc > 1) {
            CHECK(writes[1] - writes[0] <= 2 * (uint64_t)t_npes && writes[1] - writes[0] >= (uint64_t)t_npes);
            CHECK_EQ(reads[1] - reads[0], (uint64_t)t_npes);
        }
        check(t_me, t_npes);
    }

    /* The PEs with even numbers, as an active set and as a team. */
    int evens = (t_npes + 1) / 2;
    shmem_team_t team;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, evens, NULL, 0, &team);
    for (int by_team = 0; by_team < 2; by_team++) {
        if (t_me % 2 == 0)
            prepare(t_me / 2, evens);
        shmem_barrier_all();
        if (t_me % 2 == 0 && by_team)
            shmemx_team_alltoallv(to, t_offsets, t_sizes, from, s_offsets, s_sizes, team, psync);
        else if (t_me % 2 == 0)
            shmemx_alltoallv(to, t_offsets, t_sizes, from, s_offsets, s_sizes, 0, 1, evens, psync);
        if (t_me % 2 == 0)
            check(t_me / 2, evens);
        else
            shmem_barrier_all();
    }
    return t_done();
}
