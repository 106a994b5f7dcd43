/* Non-fetching AMOs are completed by quiet and by barrier, ordered by fence; the flag raised by an AMO after a fence
 * is never seen before the data put before it.
 * shmem_long_atomic_{set,inc,add}, shmem_fence, shmem_quiet
 * rules: 152 194 245 246 247 */
#include "check.h"

enum { ROUNDS = 20000 };
static long a, b, done;

int main(void)
{
    t_init();
    /* PE 0 raises a, fences, raises b on the last PE, which must never see b ahead of a. With one PE alone the same
     * calls run in program order. */
    if (t_me == 0)
        for (long r = 1; r <= ROUNDS; r++) {
            if (r & 1)
                shmem_long_atomic_set(&a, r, t_npes - 1);
            else
                shmem_long_atomic_inc(&a, t_npes - 1);
            shmem_fence();
            if (r % 3)
                shmem_long_atomic_set(&b, r, t_npes - 1);
            else
                shmem_long_atomic_add(&b, 1, t_npes - 1);
            if (r % 500 == 0)
                usleep(1);
        }
    if (t_me == t_npes - 1) {
        long second = 0;
        while (second < ROUNDS) {
            long first;
            second = shmem_long_atomic_fetch(&b, t_me);
            first = shmem_long_atomic_fetch(&a, t_me);
            if (first < second) {
                CHECK(first >= second);
                break;
            }
        }
    }
    shmem_barrier_all();
    shmem_long_atomic_inc(&done, 0);
    shmem_quiet();
    CHECK(shmem_long_atomic_fetch(&done, 0) >= 1);
    shmem_long_atomic_add(&done, 100, 0);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(&done, 0), 101L * t_npes);
    shmem_barrier_all();
    return t_done();
}
