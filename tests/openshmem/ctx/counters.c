/* The counters of shmemx.h: what is issued on a context is counted there and nowhere else. With an argument every
 * operation is counted; without one only those that need more than a load, a store or an atomic instruction. With a
 * second one PE 0 lets the others wait for some seconds, in which the live table shows that. */
#include "check.h"
#include <shmemx.h>

static long box[8], word;

static shmemx_pcntr_t all(shmem_ctx_t ctx)
{
    shmemx_pcntr_t is;
    memset(&is, 0xff, sizeof is);
    shmemx_pcntr_get_all(ctx, &is);
    return is;
}

/* Five writes and three reads, some of which may be under way when the last returns. */
static void use(shmem_ctx_t ctx, int pe)
{
    long from[2] = {1, 2}, to[2], old;
    shmem_ctx_long_put(ctx, box, from, 2, pe);
    shmem_ctx_long_p(ctx, &box[2], 3, pe);
    shmem_ctx_long_put_nbi(ctx, &box[3], from, 2, pe);
    shmem_ctx_long_atomic_add(ctx, &word, 1, pe);
    shmem_ctx_long_atomic_inc(ctx, &word, pe);
    shmem_ctx_long_get(ctx, to, box, 2, pe);
    (void)shmem_ctx_long_g(ctx, box, pe);
    old = shmem_ctx_long_atomic_fetch_add(ctx, &word, 1, pe);
    CHECK(old >= 0);
    shmem_ctx_quiet(ctx);
}

int main(int argc, char **argv)
{
    (void)argv;
    t_init();
    if (argc > 2) {
        if (t_me == 0)
            sleep(4);
        shmem_barrier_all();
    }
    int right = (t_me + 1) % t_npes, counted = argc > 1;
    shmem_ctx_t ctx, other;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    CHECK_EQ(shmem_ctx_create(0, &other), 0);
    shmemx_pcntr_t before = all(SHMEM_CTX_DEFAULT), is = all(ctx);
    CHECK_EQ(is.pending_put + is.pending_get + is.completed_put + is.completed_get, 0);

    use(ctx, right);
    is = all(ctx);
    /* Between nodes all of them are counted anyway. */
    const int all_counted = counted || shmem_ptr(&word, right) == NULL;
    uint64_t writes = is.pending_put, reads = is.pending_get;
    CHECK(all_counted ? writes == 5 && reads == 3 : writes + reads < 8);
    CHECK_EQ(is.completed_put, writes);
    CHECK_EQ(is.completed_get, reads);
    CHECK_EQ(all(other).pending_put, 0);
    CHECK_EQ(all(SHMEM_CTX_DEFAULT).pending_put, before.pending_put);

    use(SHMEM_CTX_DEFAULT, right);
    CHECK_EQ(all(SHMEM_CTX_DEFAULT).pending_put - before.pending_put, writes);
    CHECK_EQ(all(SHMEM_CTX_DEFAULT).pending_get - before.pending_get, reads);
    CHECK_EQ(all(ctx).pending_put, writes);

    uint64_t one[5];
    shmemx_pcntr_get_issued_write(ctx, &one[0]);
    shmemx_pcntr_get_issued_read(ctx, &one[1]);
    shmemx_pcntr_get_completed_write(ctx, &one[2]);
    shmemx_pcntr_get_completed_read(ctx, &one[3]);
    shmemx_pcntr_get_completed_target(&one[4]);
    CHECK_EQ(one[0], writes);
    CHECK_EQ(one[1], reads);
    CHECK_EQ(one[2], writes);
    CHECK_EQ(one[3], reads);
    /* Others may still write. */
    is = all(ctx);
    CHECK(is.target != UINT64_MAX && one[4] <= is.target);

    /* What a quiet has found complete stays so with the next operation, whatever had completed it. */
    static long value = 1;
    shmem_ctx_long_put_nbi(ctx, &word, &value, 1, right);
    uint64_t issued = all(ctx).pending_put;
    shmem_ctx_pe_quiet(ctx, &right, 1);
    shmem_ctx_quiet(ctx);
    shmem_ctx_long_put_nbi(ctx, &word, &value, 1, right);
    shmemx_pcntr_get_completed_write(ctx, &one[2]);
    CHECK(one[2] >= issued);
    shmem_ctx_quiet(ctx);

    /* A context in the same place begins with nothing. */
    shmem_ctx_destroy(ctx);
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    CHECK_EQ(all(ctx).pending_put, 0);
    CHECK_EQ(all(ctx).completed_put, 0);
    shmem_ctx_destroy(ctx);
    shmem_ctx_destroy(other);
    return t_done();
}
