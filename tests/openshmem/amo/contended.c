/* All PEs work on the same words of PE 0, the owner included, every operation mixed with every other; nothing is
 * lost. 32- and 64-bit words, heap and statics, float and double by swap. The argument: rounds.
 * shmem_{int,long,uint,double}_atomic_*
 * rules: 39 43 44 48 54 151 152 160 */
#include "check.h"

static int rounds = 4000;
static long total;                 /* fetch_add, add, inc, fetch_inc, compare_swap loops, nbi */
static int total32;
static unsigned bits;              /* xor an even number of times, or of own bit */
static double token = 1.0;         /* swapped around: it must never double or vanish */
static long lock_word, guarded;    /* compare_swap lock around a plain get and put */

static void add_by_swap(long *word, long value)
{
    for (long old = shmem_long_atomic_fetch(word, 0);;) {
        long seen = shmem_long_atomic_compare_swap(word, old, old + value, 0);
        if (seen == old)
            return;
        old = seen;
    }
}
static void add_by_swap32(int *word, int value)
{
    for (int old = shmem_int_atomic_fetch(word, 0);;) {
        int seen = shmem_int_atomic_compare_swap(word, old, old + value, 0);
        if (seen == old)
            return;
        old = seen;
    }
}

/* Ten added to each word in each round, by five different means. */
static void sums(long *word, int *word32)
{
    long got = -1;
    for (int r = 0; r < rounds; r++) {
        shmem_long_atomic_fetch_add(word, 3, 0);
        shmem_long_atomic_add(word, 2, 0);
        shmem_long_atomic_inc(word, 0);
        shmem_long_atomic_fetch_inc(word, 0);
        add_by_swap(word, 2);
        shmem_long_atomic_fetch_add_nbi(&got, word, 1, 0);
        shmem_int_atomic_fetch_add(word32, 3, 0);
        shmem_int_atomic_add(word32, 2, 0);
        shmem_int_atomic_inc(word32, 0);
        shmem_int_atomic_fetch_inc(word32, 0);
        add_by_swap32(word32, 3);
        if (r % 64 == 0)
            shmem_quiet();
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(word, 0), 10L * rounds * t_npes);
    CHECK_EQ(shmem_int_atomic_fetch(word32, 0), 10 * rounds * t_npes);
    shmem_barrier_all();
}

/* Each PE owns one bit: sets it, clears it, flips it; the others never change it. */
static void own_bit(void)
{
    const unsigned mine = 1u << t_me;
    for (int r = 0; r < rounds; r++) {
        CHECK_EQ(shmem_uint_atomic_fetch_or(&bits, mine, 0) & mine, 0);
        CHECK_EQ(shmem_uint_atomic_fetch_and(&bits, ~mine, 0) & mine, mine);
        CHECK_EQ(shmem_uint_atomic_fetch_xor(&bits, mine, 0) & mine, 0);
        shmem_uint_atomic_xor(&bits, mine, 0);
        shmem_quiet();
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_uint_atomic_fetch(&bits, 0), 0);
}

/* A hot potato: swap in 0; who gets 1.0 puts it back by swap, and must find 0 there. */
static void potato(void)
{
    for (int r = 0; r < rounds; r++)
        if (shmem_double_atomic_swap(&token, 0.0, 0) == 1.0)
            CHECK_FEQ(shmem_double_atomic_swap(&token, 1.0, 0), 0.0);
    shmem_barrier_all();
    CHECK_FEQ(shmem_double_atomic_fetch(&token, 0), 1.0);
}

/* compare_swap takes a lock, swap or set releases it; a plain get and put inside are safe. */
static void lock(void)
{
    for (int r = 0; r < rounds / 8; r++) {
        while (shmem_long_atomic_compare_swap(&lock_word, 0, t_me + 1, 0) != 0)
            usleep(1);
        shmem_long_p(&guarded, shmem_long_g(&guarded, 0) + 1, 0);
        shmem_quiet();
        if (r & 1)
            CHECK_EQ(shmem_long_atomic_swap(&lock_word, 0, 0), t_me + 1);
        else
            shmem_long_atomic_set(&lock_word, 0, 0);
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&guarded, 0), (long)(rounds / 8) * t_npes);
}

int main(int argc, char **argv)
{
    struct { long word; int word32; } *heap;
    if (argc > 1)
        rounds = atoi(argv[1]);
    t_init();
    heap = shmem_calloc(1, sizeof *heap);
    t_what = "static sum", sums(&total, &total32);
    t_what = "heap sum", sums(&heap->word, &heap->word32);
    t_what = "bits", own_bit();
    t_what = "potato", potato();
    t_what = "lock", lock();
    shmem_barrier_all();
    shmem_free(heap);
    return t_done();
}
