/* Fence orders nonblocking puts to one PE but completes nothing: data, fence, flag, thousands of times; the receiver
 * finds the data as soon as it sees the flag. Sources are left alone until quiet. Gets ignore fences.
 * shmem_long_put_nbi, shmem_fence, shmem_ctx_fence, shmem_long_atomic_set
 * rules: 148 149 245 246 247 */
#include "check.h"

enum { ROUNDS = 3000, N = 64, BUSY = 100 };
static long flag_static, data_static[N];

/* To my right neighbour; I watch my left one's. Heap and statics take turns on both sides of the fence. */
int main(void)
{
    long *data_heap, *flag_heap, (*out)[N];
    static long ack;
    t_init();
    data_heap = shmem_calloc(N, sizeof(long));
    flag_heap = shmem_calloc(1, sizeof(long));
    out = malloc(sizeof(long[BUSY][N])); /* a source is busy until the quiet after BUSY rounds */
    for (long r = 1; r <= ROUNDS; r++) {
        long *data = r & 1 ? data_heap : data_static, *flag = r & 2 ? flag_heap : &flag_static;
        long *mine = out[r % BUSY];
        for (int i = 0; i < N; i++)
            mine[i] = r * 1000 + i;
        shmem_long_put_nbi(data, mine, N, t_right());
        if (r & 4)
            shmem_fence();
        else
            shmem_ctx_fence(SHMEM_CTX_DEFAULT);
        shmem_long_atomic_set(flag, r, t_right());
        t_wait(flag, r);
        CHECK_EACH(N, ((volatile long *)data)[i], r * 1000 + i);
        /* My left neighbour may write again. */
        shmem_long_atomic_set(&ack, r, t_left());
        t_wait(&ack, r);
        if (r % BUSY == 0)
            shmem_quiet();
    }
    shmem_quiet();
    free(out);
    return t_done();
}
