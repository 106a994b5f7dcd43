/* snippet: c11 c17; wrong 2 */
/* Four names are a function and a generic macro at once. */
#include <shmem.h>

#ifndef WRONG
#define WRONG 0
#endif

static long psync[SHMEM_SYNC_SIZE];
static long flag;
static uint64_t sig;

/* A name without a bracket behind it is the function. */
void (*const sync_function)(int, int, int, long *) = shmem_sync;
void (*const wait_function)(long *, int, long) = shmem_wait_until;
void (*const add_function)(uint64_t *, uint64_t, int) = shmem_signal_add;
void (*const set_function)(uint64_t *, uint64_t, int) = &shmem_signal_set;

int both_uses(shmem_ctx_t ctx, shmem_team_t team, int *iflag, unsigned short *sflag)
{
    shmem_sync(0, 0, shmem_n_pes(), psync);
    (shmem_sync)(0, 0, shmem_n_pes(), psync);
    int bad = shmem_sync(SHMEM_TEAM_WORLD) + shmem_sync(team);

    shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
    (shmem_wait_until)(&flag, SHMEM_CMP_EQ, 1);
    shmem_wait_until(iflag, SHMEM_CMP_EQ, 1);
    shmem_wait_until(sflag, SHMEM_CMP_EQ, 1);

    shmem_signal_add(&sig, 1, 0);
    shmem_signal_add(ctx, &sig, 1, 0);
    shmem_signal_set(&sig, 1, 0);
    shmem_signal_set(SHMEM_CTX_DEFAULT, &sig, 1, 0);
#if WRONG == 1
    shmem_sync(ctx);
#elif WRONG == 2
    shmem_signal_add(team, &sig, 1, 0);
#endif
    return bad;
}
