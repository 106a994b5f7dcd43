/* Fence, and more than one operation behind it: what was issued ahead is still not seen after the last of them,
 * though the ones between may go another way and need not wait. Ahead: many AMOs, or a large nonblocking put;
 * between: an AMO, a nonblocking get, nothing; behind: p, AMO, put. shmem_fence, shmem_ctx_fence
 * rules: 138 245 246 */
#include "check.h"

enum { ADDS = 3000, WORDS = 200000, ROUNDS = 36 };
static long sum, other, flag, ack, from_static = 7;
static long bulk[WORDS];

int main(void)
{
    static long source[WORDS], got;
    t_init();
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    for (long r = 1; r <= ROUNDS; r++) {
        const int ahead = r % 2, between = r / 2 % 3, behind = r / 6 % 3;
        shmem_ctx_t c = r > ROUNDS / 2 ? ctx : SHMEM_CTX_DEFAULT;
        if (ahead == 0)
            for (int i = 0; i < ADDS; i++)
                shmem_ctx_long_atomic_add(c, &sum, 1, t_right());
        else {
            for (long i = 0; i < WORDS; i++)
                source[i] = r * WORDS + i;
            shmem_ctx_long_put_nbi(c, bulk, source, WORDS, t_right());
        }
        shmem_ctx_fence(c);
        if (between == 0)
            shmem_ctx_long_atomic_add(c, &other, 1, t_right());
        else if (between == 1)
            shmem_ctx_long_get_nbi(c, &got, &from_static, 1, t_right());
        switch (behind) {
        case 0: shmem_ctx_long_p(c, &flag, r, t_right()); break;
        case 1: shmem_ctx_long_atomic_set(c, &flag, r, t_right()); break;
        case 2: shmem_ctx_long_put(c, &flag, &r, 1, t_right()); break;
        }
        shmem_long_wait_until(&flag, SHMEM_CMP_GE, r);
        if (ahead == 0)
            CHECK_EQ(shmem_long_atomic_fetch(&sum, t_me), r / 2 * ADDS);
        else
            CHECK_EACH(WORDS, bulk[i], r * WORDS + i);
        /* The left one may go on. */
        shmem_ctx_quiet(c);
        CHECK(between != 1 || got == 7);
        shmem_long_p(&ack, r, (t_me + t_npes - 1) % t_npes);
        shmem_long_wait_until(&ack, SHMEM_CMP_GE, r);
    }
    shmem_ctx_destroy(ctx);
    return t_done();
}
