/* What the updater ordered before the update is seen after the wait: data by put with fence, by plain stores through
 * shmem_ptr, to heap and statics; around a ring, so that every wait is a real one when PEs share cores.
 * rules: 232 231 245 */
#include "check.h"

enum { ROUNDS = 300, N = 100 };

static long static_data[N], static_flag;

static void ring(const char *what, long *data, long *flag, int way)
{
    long mine[N];
    t_what = what;
    *flag = 0;
    shmem_barrier_all();
    for (long round = 1; round <= ROUNDS; round++) {
        long *there = way == 2 ? shmem_ptr(data, t_right()) : NULL;
        if (t_me != 0 || round > 1) {
            /* PE 0 starts a round when the one before has come round. */
            const long want = t_me == 0 ? round - 1 : round;
            shmem_long_wait_until(flag, SHMEM_CMP_GE, want);
            CHECK_EACH(N, data[i], want * 1000 + i);
        }
        for (int i = 0; i < N; i++)
            mine[i] = round * 1000 + i;
        if (there)
            memcpy(there, mine, sizeof mine);
        else
            shmem_long_put(data, mine, N, t_right());
        shmem_fence();
        if (way == 0)
            shmem_long_atomic_inc(flag, t_right());
        else
            shmem_long_atomic_set(flag, round, t_right());
    }
    if (t_me == 0)
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, ROUNDS);
    shmem_barrier_all();
}

int main(void)
{
    long *heap;
    t_init();
    heap = t_malloc((N + 1) * sizeof *heap);
    if (t_npes > 1) {
        ring("heap", heap, heap + N, 0);
        ring("statics", static_data, &static_flag, 0);
        ring("data in the heap, flag in the statics", heap, &static_flag, 1);
        ring("data in the statics, flag in the heap", static_data, heap + N, 1);
        ring("plain stores", heap, heap + N, 2);
    }
    shmem_free(heap);
    return t_done();
}
