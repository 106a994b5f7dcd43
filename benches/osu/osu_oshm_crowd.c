/*
 * What waiting costs where PEs outnumber cores: wall time, and the processor time of all PEs together, of one barrier,
 * small collective, wait and lock hand-over. Nothing is untimed here, since the processor time of a part of a
 * loop cannot be had cheaply: collectives that let a PE run ahead of others have a barrier, and say so.
 */
#include "../common/waiting.h"
#include "osu_collective.h"
#include "osu_lock.h"

/* Elements for the collectives: 8 bytes. */
#define CROWD_ELEMENTS 2

static long sync_in_turn[2][OSU_SYNC_SIZE];
static int work[2][CROWD_ELEMENTS + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static int source_sum[CROWD_ELEMENTS], dest_sum[CROWD_ELEMENTS];
static uint64_t token;

/* A row for OP, of which each PE's call takes part in SHARE operations that follow each other. */
#define ROW(NAME, SHARE, OP) BENCH_CROWD_ROW(NAME, SHARE, shmem_barrier_all(), osu_spread, OP)

/* One way round: PE 0 sends the token and has it back, everybody else passes it on. */
static void pass_token(const struct osu_job *j, uint64_t turn)
{
    int right = (j->me + 1) % j->npes;
    if (j->me == 0)
        shmem_uint64_p(&token, turn, right);
    shmem_uint64_wait_until(&token, SHMEM_CMP_EQ, turn);
    if (j->me != 0)
        shmem_uint64_p(&token, turn, right);
}

int main(int argc, char **argv)
{
    struct osu_job j = osu_start(argc, argv, NULL, BENCH_CROWD_ITERATIONS);
    int npes = j.npes;
    uint64_t turn = 0;
    size_t n = CROWD_ELEMENTS;
    char *source = osu_heap(&j, n * OSU_ELEMENT * (size_t)npes);
    char *dest = osu_heap(&j, n * OSU_ELEMENT * (size_t)npes);
    for (int i = 0; i < OSU_SYNC_SIZE; i++)
        sync_in_turn[0][i] = sync_in_turn[1][i] = SHMEM_SYNC_VALUE;
    osu_sync_start();
    if (j.me == 0)
        bench_head_crowd("OSU-style OpenSHMEM waiting, wall and processor time");

    /* Nobody ends one of these before everybody has begun it, so two sync arrays in turn are enough. */
#define SYNC sync_in_turn[bench_i % 2]
    ROW("barrier", 1, shmem_barrier_all());
    ROW("reduce", 1, shmem_int_sum_to_all(dest_sum, source_sum, (int)n, 0, 0, npes, work[bench_i % 2], SYNC));
    ROW("fcollect", 1, shmem_fcollect32(dest, source, n, 0, 0, npes, SYNC));
    ROW("alltoall", 1, shmem_alltoall32(dest, source, n, 0, 0, npes, SYNC));
    ROW("broadcast+barrier", 1, shmem_broadcast32(dest, source, n, 0, 0, 0, npes, osu_sync); shmem_barrier_all());
#if OSU_SPEC >= 106
    ROW("scan+barrier", 1, shmem_int_sum_inscan(SHMEM_TEAM_WORLD, (int *)dest, (int *)source, n); shmem_barrier_all());
#endif
    ROW("wait", npes, turn++; pass_token(&j, turn));
    BENCH_CROWD_ROW("lock", npes, osu_lock_gate(&j), osu_spread, shmem_set_lock(&osu_lock);
                    shmem_clear_lock(&osu_lock));
    return osu_end();
}
