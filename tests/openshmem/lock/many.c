/* Many locks at once: a PE holds some while it waits for others, in arrays in heap and statics, released in any order;
 * neighbouring elements do not disturb each other.
 * rules: 259 254 253 */
#include "check.h"

enum { LOCKS = 64, ROUNDS = 40 };

static long static_locks[LOCKS], static_counts[LOCKS];

static void many(const char *what, long *locks, long *counts)
{
    uint64_t random = 88172645463325252u + (uint64_t)t_me;
    long mine[LOCKS] = {0};
    t_what = what;
    for (int round = 0; round < ROUNDS; round++) {
        int held[LOCKS], n = 0;
        /* In rising order, so that nobody waits in a circle; a few are only tried. */
        for (int i = 0; i < LOCKS; i++) {
            const uint64_t r = t_random(&random) % 8;
            if (r == 0 || (r == 1 && shmem_test_lock(&locks[i]) == 0)) {
                if (r == 0)
                    shmem_set_lock(&locks[i]);
                held[n++] = i;
            }
        }
        for (int k = 0; k < n; k++) {
            const int i = held[k], where = i % t_npes;
            shmem_long_p(&counts[i], shmem_long_g(&counts[i], where) + 1, where);
            mine[i]++;
        }
        while (n > 0) { /* any order */
            const int k = (int)(t_random(&random) % (uint64_t)n);
            shmem_clear_lock(&locks[held[k]]);
            held[k] = held[--n];
        }
    }
    /* What all PEs together did is what is there. */
    static long sums[LOCKS];
    memset(sums, 0, sizeof sums);
    shmem_barrier_all();
    for (int i = 0; i < LOCKS; i++)
        shmem_long_atomic_add(&sums[i], mine[i], i % t_npes);
    shmem_barrier_all();
    for (int i = 0; i < LOCKS; i++) {
        if (i % t_npes == t_me)
            CHECK_EQ(counts[i], sums[i]);
        CHECK_EQ(locks[i], 0);
    }
    shmem_barrier_all();
}

int main(void)
{
    long *heap;
    t_init();
    heap = shmem_calloc(2 * LOCKS, sizeof *heap);
    many("heap", heap, heap + LOCKS);
    many("statics", static_locks, static_counts);
    return t_done();
}
