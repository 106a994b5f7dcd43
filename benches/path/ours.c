/* The calls of OpenSHMEM that `ucx.c` and `ofi.c` make by the network's own library: PE 0 calls, PE 1 waits in a
 * barrier. */
#include "path.h"
#include <shmem.h>

static char *there;
static char from[8];
static long *word; /* in memory for remote atomics */

static void puts_nbi(int calls)
{
    for (int i = 0; i < calls; i++)
        shmem_putmem_nbi(there + i % (ROOM / 8) * 8, from, sizeof from, 1);
    shmem_quiet();
}

static void adds(int calls)
{
    for (int i = 0; i < calls; i++)
        (void)shmem_long_atomic_fetch_add(word, 1, 1);
}

int main(void)
{
    shmem_init();
    there = shmem_malloc(ROOM);
    word = shmem_malloc_with_hints(sizeof *word, SHMEM_MALLOC_ATOMICS_REMOTE);
    if (shmem_n_pes() != 2 || !there || !word)
        shmem_global_exit(1);
    *word = 0;
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        time_calls("put_nbi", PUTS, puts_nbi);
        time_calls("fetch_add", ADDS, adds);
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 1 && *word != ADDS * (BATCHES + 1L))
        fprintf(stderr, "the word is %ld\n", *word), shmem_global_exit(1);
    shmem_finalize();
    return 0;
}
