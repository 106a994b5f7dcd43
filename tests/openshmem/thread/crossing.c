/* A dozen threads of each PE add to, put to and complete at the next PE at the same time, each on a context of its
 * own: more messages cross than receives stand ready. Some MPIs lose receives then (oshmpi/src/mpi/faults.rs).
 * Argument: threads per PE.
 * rules: 82 127 */
#include "check.h"

enum { MOST = 16, ROUNDS = 300 };
static long sum, cells[MOST];

static void *work(void *arg)
{
    const int t = (int)(intptr_t)arg;
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    for (long r = 1; r <= ROUNDS; r++) {
        shmem_ctx_long_atomic_inc(ctx, &sum, t_right());
        shmem_ctx_long_put(ctx, &cells[t], &r, 1, t_right());
        shmem_ctx_quiet(ctx);
        CHECK_EQ(shmem_ctx_long_g(ctx, &cells[t], t_right()), r);
    }
    shmem_ctx_destroy(ctx);
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 12;
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    shmem_barrier_all();
    t_threads(threads, work);
    shmem_barrier_all();
    CHECK_EQ(sum, (long)threads * ROUNDS);
    CHECK_EACH(threads, cells[i], ROUNDS);
    return t_done();
}
