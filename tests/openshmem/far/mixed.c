/* One word of the last PE, changed by every PE (itself, its node peers, PEs of other nodes) with every kind of
 * operation at once: add, increment, compare-and-swap, exclusive or, swap and set where the result can still be told;
 * a float that is swapped and set, and a signal. Nothing is lost. Whoever carries out AMOs, there must be one executor.
 * Arguments: rounds; rounds of PEs on the node of the word, to which they cost less.
 * rules: 39 40 43 44 167 */
#include "check.h"

/* High half: sums; low half: one bit for each PE that only exclusive or, and, or touch. */
static uint64_t word;
static float potato = 1.0f;
static uint64_t flag;
static long fair;                 /* swaps: what is put in equals what comes out plus what stays */

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 2000;
    const uint64_t one = (uint64_t)1 << 32;
    long in = 0, out = 0, held = 0;
    t_init();
    const int home = t_npes - 1;
    if (argc > 2 && (t_me == home || shmem_ptr(&word, home)))
        rounds = atol(argv[2]);
    static long mine_done, all_done;
    mine_done = rounds;
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all_done, &mine_done, 1), 0);
    const uint64_t mine = (uint64_t)1 << (t_me % 32);
    for (long r = 0; r < rounds; r++) {
        uint64_t old, seen;
        shmem_uint64_atomic_add(&word, one, home);
        shmem_uint64_atomic_fetch_add(&word, one, home);
        shmem_uint64_atomic_xor(&word, mine, home);
        for (old = shmem_uint64_atomic_fetch(&word, home);; old = seen) {
            seen = shmem_uint64_atomic_compare_swap(&word, old, old + one, home);
            if (seen == old)
                break;
        }
        CHECK(seen & mine);
        shmem_uint64_atomic_fetch_and(&word, ~mine, home);
        shmem_uint64_atomic_or(&word, mine, home);
        CHECK(shmem_uint64_atomic_fetch_xor(&word, mine, home) & mine);
        if (shmem_float_atomic_swap(&potato, 0.0f, home) == 1.0f) {
            if (held++ % 2)
                shmem_float_atomic_set(&potato, 1.0f, home);
            else
                CHECK_FEQ(shmem_float_atomic_swap(&potato, 1.0f, home), 0.0f);
        }
        in += r + 1;
        out += shmem_long_atomic_swap(&fair, r + 1, home);
        shmem_signal_add(&flag, 1, home);
        if (r % 100 == 0)
            shmem_quiet();
    }
    if (t_me == home)
        CHECK_EQ(shmem_signal_wait_until(&flag, SHMEM_CMP_GE, (uint64_t)all_done), (uint64_t)all_done);
    shmem_barrier_all();
    CHECK_EQ(shmem_uint64_atomic_fetch(&word, home), (uint64_t)all_done * 3 * one);
    CHECK_FEQ(shmem_float_atomic_fetch(&potato, home), 1.0f);
    /* What was swapped out over all PEs, and what is there now, is what was swapped in. */
    static long balance;
    shmem_long_atomic_add(&balance, in - out, 0);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(&balance, 0), shmem_long_atomic_fetch(&fair, home));
    CHECK(held <= rounds);
    return t_done();
}
