/* Constants and handles: usable where the language needs constants, distinct bits, old spellings with equal values,
 * handles in static initialisers and comparisons.
 * rules: 1 2 3 4 13 14 15 16 17 18 19 20 21 */
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

static const char *comparison(int op)
{
    switch (op) {
    case SHMEM_CMP_EQ: return "==";
    case SHMEM_CMP_NE: return "!=";
    case SHMEM_CMP_LT: return "<";
    case SHMEM_CMP_LE: return "<=";
    case SHMEM_CMP_GT: return ">";
    case SHMEM_CMP_GE: return ">=";
    }
    return "?";
}

_Static_assert(SHMEM_SIGNAL_SET != SHMEM_SIGNAL_ADD, "signal operators differ");
_Static_assert(_SHMEM_SYNC_VALUE == SHMEM_SYNC_VALUE, "old spelling");
_Static_assert(_SHMEM_BARRIER_SYNC_SIZE == SHMEM_BARRIER_SYNC_SIZE, "old spelling");
_Static_assert(_SHMEM_BCAST_SYNC_SIZE == SHMEM_BCAST_SYNC_SIZE, "old spelling");
_Static_assert(_SHMEM_COLLECT_SYNC_SIZE == SHMEM_COLLECT_SYNC_SIZE, "old spelling");
_Static_assert(_SHMEM_REDUCE_SYNC_SIZE == SHMEM_REDUCE_SYNC_SIZE, "old spelling");
_Static_assert(_SHMEM_REDUCE_MIN_WRKDATA_SIZE == SHMEM_REDUCE_MIN_WRKDATA_SIZE, "old spelling");
_Static_assert(_SHMEM_MAJOR_VERSION == SHMEM_MAJOR_VERSION, "old spelling");
_Static_assert(_SHMEM_MINOR_VERSION == SHMEM_MINOR_VERSION, "old spelling");
_Static_assert(_SHMEM_MAX_NAME_LEN == SHMEM_MAX_NAME_LEN, "old spelling");
_Static_assert(sizeof _SHMEM_VENDOR_STRING == sizeof SHMEM_VENDOR_STRING, "old spelling");
_Static_assert(_SHMEM_CMP_EQ == SHMEM_CMP_EQ && _SHMEM_CMP_NE == SHMEM_CMP_NE, "old spelling");
_Static_assert(_SHMEM_CMP_LT == SHMEM_CMP_LT && _SHMEM_CMP_LE == SHMEM_CMP_LE, "old spelling");
_Static_assert(_SHMEM_CMP_GT == SHMEM_CMP_GT && _SHMEM_CMP_GE == SHMEM_CMP_GE, "old spelling");
_Static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
                   SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE, "thread levels ascend");
_Static_assert(SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION == 6, "the version of the standard");

static void objects(void);

#define ONE_BIT(x) ((x) > 0 && ((x) & ((x) - 1)) == 0)

int main(void)
{
    const long options[] = {SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE};
    const long hints[] = {SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE};
    const char *names = "";
    shmem_team_config_t config = {.num_contexts = 1};
    shmem_ctx_session_config_t session = {.total_ops = SIZE_MAX};
    t_init();
    for (int i = 0; i < 3; i++) {
        CHECK(ONE_BIT(options[i]));
        for (int j = 0; j < i; j++)
            CHECK(options[i] != options[j]);
    }
    CHECK(ONE_BIT(hints[0]) && ONE_BIT(hints[1]) && hints[0] != hints[1]);
    CHECK(ONE_BIT(SHMEM_TEAM_NUM_CONTEXTS));
    CHECK(ONE_BIT(SHMEM_CTX_SESSION_TOTAL_OPS));
    CHECK(ONE_BIT(SHMEM_CTX_SESSION_BATCH));
    CHECK(config.num_contexts == 1 && session.total_ops == SIZE_MAX);

    CHECK(ctx_default == SHMEM_CTX_DEFAULT && ctx_invalid == SHMEM_CTX_INVALID && ctx_default != ctx_invalid);
    CHECK(world == SHMEM_TEAM_WORLD && shared == SHMEM_TEAM_SHARED && no_team == SHMEM_TEAM_INVALID);
    CHECK(world != no_team && shared != no_team && world != shared);
    CHECK(strcmp(_SHMEM_VENDOR_STRING, SHMEM_VENDOR_STRING) == 0);

    for (int i = SHMEM_CMP_EQ - 8; i < SHMEM_CMP_EQ + 8; i++)
        if (*comparison(i) != '?')
            names = comparison(i);
    CHECK(*names);
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
