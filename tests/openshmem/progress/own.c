/* A PE that looks at its own memory until another one has changed it: by g, by get, by strided get, by a test or a
 * wait that holds, by an AMO or a signal's fetch, and at its own variable between two fences or quiets of any kind.
 * It need not do anything else to be served, also where its statics are reached another way than its heap.
 * rules: 46 47 48 49 */
#include "check.h"

enum { KINDS = 13 };
static volatile long flag[2 * KINDS];

static long look(int kind, uint64_t *word)
{
    long seen = 0;
    size_t which[2];
    switch (kind) {
    case 0: return shmem_long_g((long *)&flag[kind], t_me);
    case 1: shmem_getmem(&seen, (long *)&flag[kind], sizeof seen, t_me); return seen;
    case 2: shmem_long_iget(&seen, (long *)&flag[kind], 1, 1, 1, t_me); return seen;
    case 3: shmem_fence(); return flag[kind];
    case 4: shmem_pe_quiet(&t_me, 1); return flag[kind];
    case 5: shmem_quiet(); return flag[kind];
    case 6: return !shmem_long_test((long *)&flag[kind], SHMEM_CMP_EQ, 0);
    case 7: return shmem_long_test_some((long *)&flag[kind], 1, which, NULL, SHMEM_CMP_EQ, 0) == 0;
    case 8: return !shmem_long_test_all((long *)&flag[kind], 1, NULL, SHMEM_CMP_EQ, 0);
    case 9: shmem_long_wait_until((long *)&flag[kind], SHMEM_CMP_GE, 0); return flag[kind];
    case 10: return (long)shmem_uint64_atomic_fetch(word, t_me);
    case 11: return (long)shmem_signal_fetch(word);
    default: return (long)shmem_uint64_g(word, t_me);
    }
}

int main(void)
{
    uint64_t *word;
    t_init();
    word = shmem_calloc(KINDS, sizeof *word);
    for (int kind = 0; kind < KINDS; kind++) {
        shmem_barrier_all();
        if (t_me == 0) {
            while (look(kind, &word[kind]) == 0)
                ;
            CHECK_EQ(flag[kind], 7);
        } else if (t_me == t_npes - 1) {
            if (kind < 6)
                shmem_long_p((long *)&flag[kind], 7, 0);
            else
                shmem_long_atomic_set((long *)&flag[kind], 7, 0);
            shmem_quiet();
            shmem_uint64_atomic_set(&word[kind], 7, 0);
            CHECK_EQ(shmem_long_g((long *)&flag[kind], 0), 7);
        }
    }
    shmem_barrier_all();
    return t_done();
}
