/* 64 threads over all PEs add, put, get and swap: on one shared context, then each on a context of its own (serialized,
 * private or shared); every sum is known. With MULTIPLE; all threads make, use and end contexts at the same time.
 * Argument: threads in all.
 * rules: 43 48 82 85 127 131 132 136 */
#include "check.h"

#include <pthread.h>

enum { MOST = 64, ROUNDS = 400 };
static long sum, swapped, slots[MOST], cells[MOST], count;
static uint64_t bits[MOST];
static shmem_ctx_t shared;
static int threads, own;
static pthread_barrier_t gate;

/* Swaps values through a cell: what goes in comes out once. */
static long through_cell(shmem_ctx_t ctx, long value, int pe)
{
    return shmem_ctx_long_atomic_swap(ctx, &cells[0], value, pe);
}

static void *work(void *arg)
{
    const int t = (int)(intptr_t)arg;
    static const long options[] = {0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE};
    shmem_ctx_t ctx = shared;
    long out = 0;
    if (own)
        CHECK_EQ(shmem_ctx_create(options[t % 4], &ctx), 0);
    pthread_barrier_wait(&gate);
    for (long r = 1; r <= ROUNDS; r++) {
        const int pe = (t_me + t + (int)r) % t_npes;
        long old, got = -1;
        shmem_ctx_long_atomic_add(ctx, &sum, 1, pe);
        shmem_ctx_long_atomic_fetch_add_nbi(ctx, &old, &sum, 2, pe);
        shmem_ctx_long_p(ctx, &slots[t], r, t_right());
        shmem_ctx_quiet(ctx);
        CHECK_EQ(shmem_ctx_long_g(ctx, &slots[t], t_right()), r);
        shmem_ctx_long_put_nbi(ctx, &slots[t], &(long){-r}, 1, t_right());
        shmem_ctx_fence(ctx);
        shmem_ctx_quiet(ctx);
        shmem_ctx_long_get(ctx, &got, &slots[t], 1, t_right());
        CHECK_EQ(got, -r);
        shmem_ctx_uint64_atomic_xor(ctx, &bits[t], 1u << (r % 31), t_right());
        shmem_ctx_pe_quiet(ctx, &pe, 1);
        out += through_cell(ctx, 1 + t + 100 * t_me, 0);
        if (own && r % 50 == 0) {
            shmem_ctx_destroy(ctx);
            CHECK_EQ(shmem_ctx_create(options[(t + r / 50) % 4], &ctx), 0);
        }
    }
    shmem_ctx_long_atomic_add(ctx, &swapped, out, 0);
    shmem_ctx_quiet(ctx);
    if (own)
        shmem_ctx_destroy(ctx);
    return NULL;
}

static void run(void)
{
    const int mine = threads / t_npes;
    uint64_t want_bits = 0;
    long want = 0;
    sum = swapped = 0;
    cells[0] = 0;
    memset(bits, 0, sizeof bits);
    pthread_barrier_init(&gate, NULL, (unsigned)mine);
    shmem_barrier_all();
    t_threads(mine, work);
    shmem_barrier_all();
    pthread_barrier_destroy(&gate);
    /* each PE's share depends on the numbers; all shares together do not */
    shmem_long_atomic_add(&count, sum, 0);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(&count, 0), 3L * ROUNDS * mine * t_npes);
    for (long r = 1; r <= ROUNDS; r++)
        want_bits ^= 1u << (r % 31);
    CHECK_EACH(mine, bits[i], want_bits);
    for (int pe = 0; pe < t_npes; pe++)
        for (int t = 0; t < mine; t++)
            want += ROUNDS * (1L + t + 100L * pe);
    if (t_me == 0)
        CHECK_EQ(swapped + cells[0], want);
    shmem_barrier_all();
    count = 0;
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    threads = argc > 1 ? atoi(argv[1]) : MOST;
    t_what = "one context";
    CHECK_EQ(shmem_ctx_create(0, &shared), 0);
    run();
    shmem_ctx_destroy(shared);
    t_what = "the default context";
    shared = SHMEM_CTX_DEFAULT;
    run();
    t_what = "a context each";
    own = 1;
    run();
    return t_done();
}
