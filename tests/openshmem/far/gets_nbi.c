/* Rounds of nonblocking gets of short and long blocks from random PEs, each round with one quiet, while the queues of
 * all PEs are full of the others' gets: when the quiet returns, all data are there.
 * Argument: rounds.
 * rules: 148 247 */
#include "random/random.h"

enum { N = 1 << 16, GETS = 16, MOST = N / 4 };
static long in_statics[N], got[GETS][MOST];

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    struct {
        int pe;
        size_t n, at;
    } gets[GETS];
    uint64_t own;
    t_init();
    own = r_state(r_seed(), (unsigned)t_me);
    for (long i = 0; i < N; i++)
        in_statics[i] = t_me * 1000000L + i;
    shmem_barrier_all();
    for (int round = 0; round < rounds; round++) {
        const int n = 1 + (int)r_below(&own, GETS);
        for (int k = 0; k < n; k++) {
            gets[k].pe = (int)r_below(&own, (unsigned)t_npes);
            gets[k].n = 1 + r_size(&own, r_below(&own, 8) ? 64 : MOST);
            gets[k].at = r_size(&own, N - gets[k].n);
            memset(got[k], 0xee, gets[k].n * sizeof(long));
            shmem_long_get_nbi(got[k], in_statics + gets[k].at, gets[k].n, gets[k].pe);
        }
        shmem_quiet();
        for (int k = 0; k < n; k++)
            CHECK_EACH(gets[k].n, ((volatile long *)got[k])[i], gets[k].pe * 1000000L + (long)gets[k].at + i);
    }
    shmem_barrier_all();
    return t_done();
}
