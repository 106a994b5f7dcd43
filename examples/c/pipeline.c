/* Blocks of data flow through all PEs, each PE working on one block while the next is on its way. What it shows:
 * put-with-signal. One call sends the data and a signal that the data has arrived, and the receiver waits for the
 * signal only. A second signal goes back and tells that the buffer is free.
 *
 * PE 0 makes the blocks, every PE adds 1 to each number, the last PE checks them.
 *
 *     oshcc pipeline.c -o pipeline && oshrun -n 4 ./pipeline
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

enum { BLOCK = 1000, BLOCKS = 200, DEPTH = 4 /* buffers of each PE */ };

static long inbox[DEPTH][BLOCK];
/* Blocks that were put into each buffer: signals of several puts may overtake each other. */
static uint64_t arrived[DEPTH];
static uint64_t taken;          /* blocks that my successor has read */

int main(void)
{
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes(), next = me + 1;
    const int first = me == 0, last = next == n;
    long work[BLOCK];
    long wrong = 0;

    for (uint64_t k = 0; k < BLOCKS; k++) {
        const long *from = inbox[k % DEPTH];
        if (!first)
            shmem_signal_wait_until(&arrived[k % DEPTH], SHMEM_CMP_GT, k / DEPTH);
        for (int i = 0; i < BLOCK; i++)
            work[i] = 1 + (first ? (long)k * BLOCK + i : from[i]);
        if (!first)
            shmem_signal_add(&taken, 1, me - 1);
        if (last) {
            for (int i = 0; i < BLOCK; i++)
                wrong += work[i] != (long)k * BLOCK + i + n;
        } else {
            if (k >= DEPTH) /* not into a buffer that has not been read */
                shmem_signal_wait_until(&taken, SHMEM_CMP_GT, k - DEPTH);
            shmem_put_signal(inbox[k % DEPTH], work, BLOCK, &arrived[k % DEPTH], 1, SHMEM_SIGNAL_ADD, next);
        }
    }
    if (last)
        printf("%s: %d blocks of %d numbers went through %d PEs, %ld wrong\n", wrong ? "WRONG" : "ok", BLOCKS, BLOCK,
               n, wrong);
    shmem_finalize();
    return wrong != 0;
}
