/* snippet: c99 c11 c17 */
/* Constants in the places where only integer constant expressions and address constants may stand. */
#include <shmem.h>

static long psync[SHMEM_BARRIER_SYNC_SIZE], old_psync[_SHMEM_REDUCE_SYNC_SIZE];
static int pwrk[8 / 2 + 1 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? 8 / 2 + 1 : SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static struct {
    shmem_team_t team[3];
    shmem_ctx_t ctx[2];
} handles = {{SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEM_TEAM_INVALID}, {SHMEM_CTX_DEFAULT, SHMEM_CTX_INVALID}};
static const char vendor[SHMEM_MAX_NAME_LEN] = SHMEM_VENDOR_STRING;
static const int levels[] = {
    [SHMEM_THREAD_SINGLE] = 0, [SHMEM_THREAD_FUNNELED] = 1, [SHMEM_THREAD_SERIALIZED] = 2, [SHMEM_THREAD_MULTIPLE] = 3};
extern char ascending[SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED
                              && SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE
                          ? 1
                          : -1];
#if SHMEM_MAJOR_VERSION != 1 || SHMEM_MINOR_VERSION != 6
#error "not OpenSHMEM 1.6"
#endif

/* Six labels in one switch: the values differ. */
int holds(int cmp, long a, long b)
{
    switch (cmp) {
    case SHMEM_CMP_EQ: return a == b;
    case SHMEM_CMP_NE: return a != b;
    case SHMEM_CMP_GT: return a > b;
    case SHMEM_CMP_LE: return a <= b;
    case SHMEM_CMP_LT: return a < b;
    case SHMEM_CMP_GE: return a >= b;
    default: return vendor[0] + levels[1];
    }
}

int signal_name(int op)
{
    switch (op) {
    case SHMEM_SIGNAL_SET: return 's';
    case SHMEM_SIGNAL_ADD: return 'a';
    default: return 0;
    }
}

int same(int i)
{
    psync[0] = old_psync[0] = SHMEM_SYNC_VALUE;
    pwrk[0] = 0;
    return handles.team[i] == SHMEM_TEAM_WORLD || handles.ctx[i] != SHMEM_CTX_INVALID;
}
