/* PEs need not do alike: only PE 1 and PE 2 communicate, in a pattern that no other PE takes part in, ping-pong on
 * plain and AMO flags, while the rest goes straight to the barrier; first contact of two PEs needs no third.
 * rules: 45 46 47 48 54 */
#include "check.h"

static long ball, words[8];

int main(void)
{
    int a, b;
    t_init();
    a = 1 % t_npes, b = 2 % t_npes;
    if (a != b && (t_me == a || t_me == b)) {
        int other = t_me == a ? b : a;
        for (long r = 1; r <= 2000; r++) {
            long turn = 2 * r - (t_me == a);
            if (t_me == a) {
                shmem_long_p(&ball, turn, other);
                shmem_quiet();
                t_wait(&ball, turn + 1);
            } else {
                t_wait(&ball, turn - 1);
                shmem_long_p(&ball, turn, other);
                shmem_quiet();
            }
        }
        CHECK(ball >= 3999);
    }
    if (t_me == t_npes - 1) {
        /* the last one alone works on PE 0 */
        for (int i = 0; i < 8; i++)
            shmem_long_atomic_add(&words[i], i, 0);
        shmem_quiet();
        CHECK_EACH(8, shmem_long_g(&words[i], 0), i);
    }
    shmem_barrier_all();
    return t_done();
}
