/* A token goes round all PEs. Each PE looks for it by calling one routine again and again. Where PEs outnumber cores,
 * such a loop has to give its core away: otherwise each hop waits for the end of a time slice, in which the others look
 * some hundred thousand times. Every way of looking has its turn. Looks are counted, and no time is measured.
 * With the argument `time`: microseconds per hop of each way.
 * rules: 244 */
#include "check.h"

#define ROUNDS (timed ? 200 : 20)
/* Looks of all PEs for one hop: several times fewer than in a time slice of each, and on a machine with other work
 * several times more than it takes. */
#define LOOKS 600000L

static int timed;
static long token, others[2], looks, all_looks;
static long lock;
static uint64_t signal_word;

enum way { TEST, TEST_TRUE, TEST_ANY, G, G_OF_TWO, GET, GETMEM, IGET, FETCH, ADD_NOTHING, COMPARE_SWAP, SIGNAL_FETCH,
           QUIET, FENCE, TEST_LOCK, WAYS };
static const char *const names[WAYS] = {
    "test", "test that stays true", "test_any", "g", "g of two words in turn", "get", "getmem", "iget",
    "atomic_fetch", "atomic_fetch_add of 0", "atomic_compare_swap", "signal_fetch", "quiet", "fence", "test_lock"};

static int is_there(enum way way, long value)
{
    long got = 0;
    size_t any;
    switch (way) {
    case TEST: return shmem_long_test(&token, SHMEM_CMP_EQ, value);
    case TEST_TRUE: return !shmem_long_test(&token, SHMEM_CMP_NE, value);
    case TEST_ANY: any = shmem_long_test_any(&token, 1, NULL, SHMEM_CMP_NE, value); return any != 0;
    case G: return shmem_long_g(&token, t_me) == value;
    case G_OF_TWO: return shmem_long_g(&others[1], t_left()) == -1 || shmem_long_g(&token, t_me) == value;
    case GET: shmem_long_get(&got, &token, 1, t_me); return got == value;
    case GETMEM: shmem_getmem(&got, &token, sizeof got, t_me); return got == value;
    case IGET: shmem_long_iget(&got, &token, 1, 1, 1, t_me); return got == value;
    case FETCH: return shmem_long_atomic_fetch(&token, t_me) == value;
    case ADD_NOTHING: return shmem_long_atomic_fetch_add(&token, 0, t_me) == value;
    case COMPARE_SWAP: return shmem_long_atomic_compare_swap(&token, -1, -1, t_me) == value;
    case SIGNAL_FETCH: return shmem_signal_fetch(&signal_word) == (uint64_t)value;
    case QUIET: shmem_quiet(); return *(volatile long *)&token == value;
    case FENCE: shmem_fence(); return *(volatile long *)&token == value;
    default: /* the lock is PE 0's, so a test of another PE fails */
        if (t_me != 0)
            CHECK_EQ(shmem_test_lock(&lock), 1);
        else
            shmem_quiet();
        return *(volatile long *)&token == value;
    }
}

static void ring(enum way way)
{
    token = 0, signal_word = 0, looks = 0;
    if (way == TEST_LOCK && t_me == 0)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    double begun = t_now();
    for (long round = 1; round <= ROUNDS; round++) {
        if (t_me != 0 || round > 1)
            while (!is_there(way, t_me == 0 ? round - 1 : round))
                looks++;
        shmem_long_p(&token, round, t_right());
        shmem_uint64_atomic_set(&signal_word, (uint64_t)round, t_right());
        shmem_quiet();
    }
    shmem_barrier_all();
    double us = (t_now() - begun) * 1e6 / ROUNDS / t_npes;
    if (way == TEST_LOCK && t_me == 0)
        shmem_clear_lock(&lock);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all_looks, &looks, 1);
    long hops = (long)ROUNDS * t_npes;
    if (timed && t_me == 0)
        printf("%8.2f us, %7ld looks a hop by %s\n", us, all_looks / hops, names[way]);
    if (all_looks > LOOKS * hops)
        T_DIE("%ld looks a hop by %s", all_looks / hops, names[way]);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    timed = argc > 1 && !strcmp(argv[1], "time");
    t_init();
    for (int way = 0; way < WAYS; way++)
        ring((enum way)way);
    return t_done();
}
