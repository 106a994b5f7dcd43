/* A fence between puts to many PEs: every PE puts a block to all others, fences, and puts a flag to all of them, in
 * rounds whose order of PEs differs. Whoever sees a flag sees the block that was put ahead of it. Blocks and flags of
 * several sizes, so that they go in several ways between nodes.
 * rules: 138 245 246 */
#include "check.h"

enum { MOST_PES = 64, MOST = 6000, ROUNDS = 24 };
static long blocks[MOST_PES][MOST], flags[MOST_PES][MOST], acks[MOST_PES];

int main(void)
{
    static long source[MOST];
    static const size_t lengths[] = {1, 100, 3000, MOST};
    t_init();
    for (long r = 1; r <= ROUNDS && t_npes <= MOST_PES; r++) {
        const size_t n = lengths[r % 4], m = lengths[r / 4 % 4];
        for (size_t i = 0; i < MOST; i++)
            source[i] = r;
        for (int k = 1; k < t_npes; k++)
            shmem_long_put_nbi(blocks[t_me], source, n, (t_me + k * (r % 2 ? 1 : t_npes - 1)) % t_npes);
        shmem_fence();
        for (int k = 1; k < t_npes; k++) {
            const int to = (t_me + k) % t_npes;
            if (r % 3 == 0)
                shmem_long_atomic_set(&flags[t_me][m - 1], r, to);
            else
                shmem_long_put(flags[t_me], source, m, to);
        }
        for (int from = 0; from < t_npes; from++) {
            if (from == t_me)
                continue;
            shmem_long_wait_until(&flags[from][m - 1], SHMEM_CMP_GE, r);
            CHECK_EQ(blocks[from][0], r);
            CHECK_EQ(blocks[from][n - 1], r);
            shmem_long_p(&acks[t_me], r, from);
        }
        for (int from = 0; from < t_npes; from++)
            if (from != t_me)
                shmem_long_wait_until(&acks[from], SHMEM_CMP_GE, r);
        shmem_quiet();
    }
    return t_done();
}
