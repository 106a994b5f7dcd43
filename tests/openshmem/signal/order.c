/* The data of a put is there when its signal is, from 1 byte to 1 MiB; a pipeline of blocks that each carry a signal of
 * their own, and a ring that passes one buffer on.
 * rules: 163 164 171 40 */
#include "check.h"

enum { BLOCKS = 8, LONGEST = 1 << 20 };

static uint64_t done_with;

int main(void)
{
    unsigned char *buffer, *source;
    uint64_t *signals;
    t_init();
    buffer = t_malloc((size_t)BLOCKS * LONGEST);
    source = malloc(LONGEST);
    signals = shmem_calloc(BLOCKS, sizeof *signals);

    /* Each PE sends to its right and receives from its left, block by block. */
    uint64_t turn = 0;
    for (size_t len = 1; len <= LONGEST; len = len < LONGEST && len * 3 + 1 > LONGEST ? LONGEST : len * 3 + 1) {
        for (int round = 0; round < 3; round++) {
            turn++;
            for (int b = 0; b < BLOCKS; b++) {
                t_fill(source, len, (unsigned)(turn * 10) + (unsigned)b);
                if (b % 2)
                    shmem_putmem_signal(buffer + b * len, source, len, &signals[b], turn, SHMEM_SIGNAL_SET, t_right());
                else {
                    shmem_putmem_signal_nbi(buffer + b * len, source, len, &signals[b], 1, SHMEM_SIGNAL_ADD, t_right());
                    shmem_quiet();
                }
            }
            for (int got = 0, status[BLOCKS] = {0}; got < BLOCKS; got++) {
                const size_t b = shmem_uint64_wait_until_any(signals, BLOCKS, status, SHMEM_CMP_EQ, turn);
                CHECK(b < BLOCKS);
                status[b % BLOCKS] = 1;
                CHECK_PATTERN(buffer + b * len, len, (unsigned)(turn * 10) + (unsigned)b);
            }
            /* The left neighbour may send again. */
            shmem_signal_add(&done_with, 1, t_left());
            shmem_signal_wait_until(&done_with, SHMEM_CMP_GE, turn);
        }
    }
    shmem_barrier_all();

    /* One buffer goes round; every PE adds 1 to each of its bytes. */
    enum { ROUNDS = 30, LEN = 4000 };
    if (t_npes > 1) {
        memset(buffer, 0, LEN);
        signals[0] = 0;
        shmem_barrier_all();
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            if (t_me != 0 || round > 1) {
                shmem_signal_wait_until(&signals[0], SHMEM_CMP_EQ, t_me ? round : round - 1);
                CHECK_FILL(buffer, (int)(((round - 1) * (uint64_t)t_npes + (uint64_t)t_me) & 0xff), LEN);
            }
            for (int i = 0; i < LEN; i++)
                source[i] = (unsigned char)(buffer[i] + 1);
            shmem_uint8_put_signal(buffer, source, LEN, &signals[0], round, SHMEM_SIGNAL_SET, t_right());
        }
        if (t_me == 0)
            shmem_signal_wait_until(&signals[0], SHMEM_CMP_EQ, ROUNDS);
    }
    free(source);
    return t_done();
}
