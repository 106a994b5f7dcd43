/* A token goes around the ring of all PEs: each waits for it, adds its own number and passes it on. What it shows: a
 * PE that waits for another PE's atomic operation, with shmem_wait_until, and no barrier in the loop.
 *
 *     oshcc ring.c -o ring && oshrun -n 4 ./ring
 */
#include <shmem.h>
#include <stdio.h>

enum { ROUNDS = 100 };

static long token; /* the sum so far */
static int round_here; /* the round in which the token last came here; written after the token */

int main(void)
{
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
    long sum = 0;

    for (int round = 1; round <= ROUNDS; round++) {
        if (me > 0) {
            shmem_wait_until(&round_here, SHMEM_CMP_EQ, round);
            sum = token;
        }
        sum += me;
        shmem_p(&token, sum, next);
        shmem_fence(); /* the token arrives before the number of its round */
        shmem_atomic_set(&round_here, round, next);
        if (me == 0) {
            shmem_wait_until(&round_here, SHMEM_CMP_EQ, round);
            sum = token;
        }
    }

    int failed = 0;
    if (me == 0) {
        const long expected = (long)ROUNDS * n * (n - 1) / 2;
        failed = sum != expected;
        printf("%s: %d rounds over %d PEs, the token holds %ld, expected %ld\n", failed ? "WRONG" : "ok", ROUNDS, n,
               sum, expected);
    }
    shmem_finalize();
    return failed;
}
