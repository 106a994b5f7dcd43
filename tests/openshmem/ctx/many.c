/* A million contexts one after another, a hundred thousand at once, and threads that make and end them at the same
 * time: all of them work, and memory stays bounded. shmem_ctx_create, shmem_team_create_ctx, shmem_ctx_destroy
 * rules: 82 127 128 133 */
#include "coll/coll.h"

enum { CYCLES = 1000000, ALIVE = 100000, THREADS = 8, ROUNDS = 2000 };
static shmem_ctx_t alive[ALIVE];
static long cell, sum;

/* What memory grows by in a million cycles. */
static long cycles(void)
{
    long before = 0;
    for (int k = 0; k < CYCLES; k++) {
        shmem_ctx_t ctx = SHMEM_CTX_INVALID;
        if (k == CYCLES / 100)
            before = t_resident();
        if (shmem_team_create_ctx(SHMEM_TEAM_WORLD, k % 8, &ctx) != 0 || ctx == SHMEM_CTX_INVALID)
            T_DIE("context %d could not be made", k);
        if (k % 1000 == 0) {
            shmem_ctx_long_p(ctx, &cell, k, t_me);
            CHECK_EQ(shmem_ctx_long_g(ctx, &cell, t_me), k);
        }
        shmem_ctx_destroy(ctx);
    }
    return t_resident() - before;
}

static void many(void)
{
    long before, peak;
    t_what = "100,000 at once";
    for (int round = 0; round < 2; round++) {
        before = t_resident();
        for (int k = 0; k < ALIVE; k++) {
            CHECK_EQ(shmem_ctx_create(0, &alive[k]), 0);
            CHECK(k == 0 || alive[k] != alive[k - 1]);
        }
        peak = t_resident();
        CHECK(peak - before < 64 << 20);
        shmem_long_atomic_set(&cell, 0, t_me);
        for (int k = 0; k < ALIVE; k++)
            shmem_ctx_long_atomic_inc(alive[k * 7919L % ALIVE], &cell, t_me);
        for (int k = 0; k < ALIVE; k++)
            shmem_ctx_destroy(alive[k * 7919L % ALIVE]);
        CHECK_EQ(shmem_long_atomic_fetch(&cell, t_me), ALIVE);
        /* the second round needs nothing new */
        CHECK(round == 0 || t_resident() - before < 1 << 20);
    }
}

static void *work(void *arg)
{
    const int t = (int)(intptr_t)arg;
    for (int r = 0; r < ROUNDS; r++) {
        shmem_ctx_t ctx[5];
        const int n = 1 + (r + t) % 5;
        for (int k = 0; k < n; k++)
            CHECK_EQ(shmem_ctx_create(k % 2 ? SHMEM_CTX_PRIVATE : 0, &ctx[k]), 0);
        for (int k = 0; k < n; k++)
            shmem_ctx_long_atomic_add(ctx[k], &sum, t + 1, t_right());
        for (int k = n; k-- > 0;)
            shmem_ctx_destroy(ctx[k]);
    }
    return NULL;
}

int main(void)
{
    long want = 0;
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    t_what = "a million";
    /* Half a byte for each. What other threads touch for the first time comes once; a leak comes each time. */
    int round = 0;
    while (round < 3 && cycles() >= 512 << 10)
        round++;
    CHECK(round < 3);
    many();
    t_what = "threads";
    t_threads(THREADS, work);
    for (int t = 0; t < THREADS; t++)
        for (int r = 0; r < ROUNDS; r++)
            want += (t + 1) * (1 + (r + t) % 5);
    shmem_barrier_all();
    CHECK_EQ(sum, want);
    return t_done();
}
