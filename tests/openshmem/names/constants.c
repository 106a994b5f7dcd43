/* Handles in static initialisers and comparisons, arrays of pSync and pWrk, the headers' other names. What the language
 * allows with each constant, bits and old spellings, `cargo xtask headers` tries.
 * rules: 1 2 3 4 13 16 17 18 19 21 */
#include "check.h"

#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <pshmem.h>
#include <shmemx.h>

#ifdef MPI_VERSION
#error "shmem.h must not bring in mpi.h"
#endif

/* Address constants or cast constants: a variable would not do here. */
static shmem_ctx_t ctx_default = SHMEM_CTX_DEFAULT, ctx_invalid = SHMEM_CTX_INVALID;
static shmem_team_t world = SHMEM_TEAM_WORLD, shared = SHMEM_TEAM_SHARED, no_team = SHMEM_TEAM_INVALID;

static long sync1[SHMEM_SYNC_SIZE], sync2[SHMEM_BCAST_SYNC_SIZE], sync3[SHMEM_REDUCE_SYNC_SIZE];
static long sync4[SHMEM_BARRIER_SYNC_SIZE], sync5[SHMEM_COLLECT_SYNC_SIZE], sync6[SHMEM_ALLTOALL_SYNC_SIZE];
static long sync7[SHMEM_ALLTOALLS_SYNC_SIZE] = {SHMEM_SYNC_VALUE}, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

_Static_assert(SHMEM_SIGNAL_SET != SHMEM_SIGNAL_ADD, "signal operators differ");
_Static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
                   SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE, "thread levels ascend");
_Static_assert(SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION == 6, "the version of the standard");

static void objects(void);

int main(void)
{
    shmem_team_config_t config = {.num_contexts = 1};
    shmem_ctx_session_config_t session = {.total_ops = SIZE_MAX};
    t_init();
    CHECK(config.num_contexts == 1 && session.total_ops == SIZE_MAX);

    CHECK(ctx_default == SHMEM_CTX_DEFAULT && ctx_invalid == SHMEM_CTX_INVALID && ctx_default != ctx_invalid);
    CHECK(world == SHMEM_TEAM_WORLD && shared == SHMEM_TEAM_SHARED && no_team == SHMEM_TEAM_INVALID);
    CHECK(world != no_team && shared != no_team && world != shared);

    CHECK_EQ(sync1[0] + sync2[0] + sync3[0] + sync4[0] + sync5[0] + sync6[0] + sync7[0] + work[0], 0);
    objects();
    return t_done();
}

/* Bindings of other languages see no macros with casts: objects have the same names and values. */
#undef SHMEM_CTX_INVALID
#undef SHMEM_CTX_DEFAULT
#undef SHMEM_TEAM_INVALID
#undef SHMEM_TEAM_WORLD
#undef SHMEM_TEAM_SHARED
static void objects(void)
{
    CHECK(SHMEM_CTX_INVALID == ctx_invalid && SHMEM_CTX_DEFAULT == ctx_default);
    CHECK(SHMEM_TEAM_INVALID == no_team && SHMEM_TEAM_WORLD == world && SHMEM_TEAM_SHARED == shared);
}
