/* Eight threads of each PE put, get and add at once, on the same and on different words, and query; the sums are
 * exact. Skipped by nobody: a library that grants less than MULTIPLE fails.
 * rules: 43 48 64 77 82 85 */
#include "check.h"

enum { THREADS = 8, ROUNDS = 1000 };
static long sum, slot[THREADS], cells[THREADS];

static void *work(void *arg)
{
    long t = (long)(intptr_t)arg;
    for (long r = 0; r < ROUNDS; r++) {
        int yes = 0;
        shmem_long_atomic_add(&sum, 1, t_right());
        shmem_long_atomic_fetch_add(&sum, 2, t_me);
        shmem_long_p(&slot[t], r, t_right());
        shmem_long_put_nbi(&cells[t], &r, 1, t_right());
        shmem_quiet();
        CHECK_EQ(shmem_long_g(&slot[t], t_right()), r);
        CHECK_EQ(shmem_long_g(&cells[t], t_right()), r);
        shmem_query_initialized(&yes);
        CHECK(yes);
    }
    return NULL;
}

int main(void)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    t_threads(THREADS, work);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(&sum, t_me), 3L * THREADS * ROUNDS);
    return t_done();
}
