/* test_lock: 0 is taken, 1 is not; it never waits and never queues.
 * rules: 255 254 257 */
#include "check.h"

static long lock, data;

int main(void)
{
    t_init();
    for (int holder = 0; holder < t_npes; holder++) {
        if (t_me == holder) {
            CHECK_EQ(shmem_test_lock(&lock), 0);
            data = holder + 100;
        }
        shmem_barrier_all();
        if (t_me != holder)
            for (int i = 0; i < 50; i++)
                CHECK_EQ(shmem_test_lock(&lock), 1);
        shmem_barrier_all();
        if (t_me == holder)
            shmem_clear_lock(&lock);
        shmem_barrier_all();
        /* None of those who tried is in a queue: the lock is free, and whoever tries first has it. */
        CHECK_EQ(lock, 0);
        shmem_barrier_all();
        if (t_me == (holder + 1) % t_npes) {
            CHECK_EQ(shmem_test_lock(&lock), 0);
            CHECK_EQ(shmem_long_g(&data, holder), holder + 100);
            shmem_clear_lock(&lock);
        }
        shmem_barrier_all();
    }
    /* Exactly one of all gets it. */
    static long winners;
    for (int round = 1; round <= 50; round++) {
        const int got = shmem_test_lock(&lock);
        CHECK(got == 0 || got == 1);
        if (got == 0)
            shmem_long_atomic_inc(&winners, 0);
        shmem_barrier_all();
        if (t_me == 0)
            CHECK_EQ(winners, round);
        if (got == 0)
            shmem_clear_lock(&lock);
        shmem_barrier_all();
    }
    return t_done();
}
