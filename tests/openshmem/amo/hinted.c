/* Words in memory with hints: AMOs of every kind by all PEs, the owner and its neighbours included, lose nothing and
 * return each value once; puts with signal arrive before their signals; locks exclude; blocks are resized and freed.
 * Afterwards the heap (its size is the argument) can be had in one block, as at first.
 * shmem_malloc_with_hints, shmem_realloc, shmem_long_atomic_*, shmem_put_signal, shmem_set_lock
 * rules: 39 43 44 48 90 91 92 93 151 */
#include "check.h"

enum { ROUNDS = 20, EACH = 6 * ROUNDS, LONGS = 400, PES = 64 };
static long plain[LONGS];
static long taken[EACH * PES]; /* how often each value of this PE's word was had */

/* Nobody else has had this old value. */
static void take(long old, int pe)
{
    CHECK(old >= 0 && old < EACH * t_npes && shmem_long_atomic_fetch_inc(&taken[old], pe) == 0);
}

/* Every PE adds to the word of every PE, in six ways. Old values of the fetching ways are all different. */
static void add_everywhere(long *word, long *seen)
{
    long odd = 0;
    if (t_npes > PES)
        T_DIE("there are more than %d PEs", PES);
    memset(taken, 0, sizeof taken);
    shmem_barrier_all();
    for (int r = 0; r < ROUNDS; r++)
        for (int pe = 0; pe < t_npes; pe++) {
            long old[2] = {-1, -1};
            shmem_long_atomic_add(word, 1, pe);
            shmem_long_atomic_inc(word, pe);
            shmem_long_atomic_fetch_add_nbi(&old[0], word, 1, pe);
            shmem_quiet();
            old[1] = shmem_long_atomic_fetch_inc(word, pe);
            CHECK(old[0] < old[1]);
            long was = -1;
            for (long now = shmem_long_atomic_fetch(word, pe); was != now;) {
                was = now;
                now = shmem_long_atomic_compare_swap(word, was, was + 2, pe);
            }
            take(old[0], pe), take(old[1], pe), take(was, pe);
            /* one bit of each fetching PE, among those of all */
            shmem_int64_atomic_fetch_or(seen, 1L << (t_me % 60), pe);
            if (r > 0) /* an odd number of times */
                shmem_int64_atomic_xor(seen + 1, 1L << (t_me % 60), pe);
        }
    shmem_barrier_all();
    CHECK_EQ(*word, EACH * t_npes);
    CHECK_EQ(shmem_long_atomic_fetch(word, t_me), EACH * t_npes);
    for (int pe = 0; pe < t_npes; pe++) {
        CHECK(*seen & 1L << (pe % 60));
        odd ^= 1L << (pe % 60);
    }
    CHECK_EQ(seen[1], odd);
    shmem_barrier_all();
}

/* A ring of puts with signal: the bytes are there when the signal is, short and long, blocking and not. */
static void ring(long *data, uint64_t *signal)
{
    static long source[LONGS];
    const int next = (t_me + 1) % t_npes, before = (t_me + t_npes - 1) % t_npes;
    for (int r = 1; r <= ROUNDS; r++) {
        const size_t n = r % 2 ? 1 : LONGS;
        for (size_t i = 0; i < n; i++)
            source[i] = 1000L * r + t_me + (long)i;
        if (r % 3)
            shmem_long_put_signal(data, source, n, signal, 1, SHMEM_SIGNAL_ADD, next);
        else
            shmem_long_put_signal_nbi(data, source, n, signal, (uint64_t)r, SHMEM_SIGNAL_SET, next);
        shmem_signal_wait_until(signal, SHMEM_CMP_GE, (uint64_t)r);
        CHECK_EQ(data[0], 1000L * r + before);
        CHECK_EQ(data[n - 1], 1000L * r + before + (long)n - 1);
        shmem_barrier_all();
    }
}

static void guarded(long *lock)
{
    static long count;
    for (int r = 0; r < ROUNDS / 5; r++) {
        shmem_set_lock(lock);
        shmem_long_p(&count, shmem_long_g(&count, 0) + 1, 0);
        shmem_quiet();
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&count, 0), (long)ROUNDS / 5 * t_npes);
    shmem_barrier_all();
}

static void zero(void *at, size_t n)
{
    memset(at, 0, n);
    shmem_barrier_all();
}

/* The heap can be had in one block. */
static void whole(size_t heap)
{
    char *all = shmem_malloc(heap);
    CHECK(all != NULL);
    shmem_free(all);
}

int main(int argc, char **argv)
{
    const size_t heap = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
    t_init();
    whole(heap);
    long *common = shmem_malloc(LONGS * sizeof(long));
    long *words = shmem_malloc_with_hints(4 * sizeof(long), SHMEM_MALLOC_ATOMICS_REMOTE);
    uint64_t *signal = shmem_malloc_with_hints(sizeof *signal, SHMEM_MALLOC_SIGNAL_REMOTE);
    long *both = shmem_malloc_with_hints(1 << 20, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE);
    CHECK(common && words && signal && both);
    zero(words, 4 * sizeof(long));
    zero(signal, sizeof *signal);
    add_everywhere(words, words + 1);
    ring(common, signal);
    zero(signal, sizeof *signal);
    ring(both, signal); /* data and signal in such memory */
    guarded(words + 3);
    zero(plain, 4 * sizeof(long)); /* words without hints stay as they were */
    add_everywhere(plain, plain + 1);

    words[2] = 77 + t_me;
    words = shmem_realloc(words, 3 << 20);
    CHECK(words != NULL);
    CHECK_EQ(words[2], 77 + t_me);
    zero(words, 4 * sizeof(long));
    add_everywhere(words, words + 1);
    shmem_free(both);
    long *again = shmem_malloc_with_hints(1 << 20, SHMEM_MALLOC_ATOMICS_REMOTE);
    CHECK(again != NULL);
    zero(again, 4 * sizeof(long));
    add_everywhere(again, again + 1);
    shmem_free(again);
    shmem_free(words);
    shmem_free(signal);
    shmem_free(common);
    whole(heap);
    return t_done();
}
