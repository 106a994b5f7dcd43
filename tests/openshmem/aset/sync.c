/* Active-set barrier and sync over every start, stride and size that fits: members wait for each other, others are not
 * needed; barrier completes puts, nbi and AMOs of its members; one pSync serves again and again and is left as it was;
 * pSync in statics and on the heap.
 * shmem_barrier, shmem_sync (active set)
 * rules: 182 219 220 221 222 223 225 228 7 */
#include "check.h"

enum { REPEAT = 20 };
static long sync_static[SHMEM_BARRIER_SYNC_SIZE], count[64], in, all_done;

static int member(int start, int stride, int size)
{
    int i = t_me - start;
    return i >= 0 && i % stride == 0 && i / stride < size ? i / stride : -1;
}

static void check_sync(const long *sync)
{
    CHECK_EACH(SHMEM_BARRIER_SYNC_SIZE, sync[i], SHMEM_SYNC_VALUE);
}

/* Arrivals are counted on the first member: after the barrier all of this round must be there. */
static void rounds(int start, int log_stride, int size, long *sync)
{
    int stride = 1 << log_stride, index = member(start, stride, size);
    int next = start + (index + 1) % size * stride;
    static long seen; /* in this set of rounds */
    if (index < 0)
        return;
    seen = shmem_long_atomic_fetch(&count[start], start);
    shmem_sync(start, log_stride, size, sync);
    for (long r = 1; r <= REPEAT; r++) {
        long value = seen * 7 + r;
        if (r % 7 == index)
            usleep(100);
        shmem_long_atomic_inc(&count[start], start);
        shmem_long_put_nbi(&in, &value, 1, next);
        shmem_barrier(start, log_stride, size, sync);
        CHECK_EQ(in, value);
        CHECK_EQ(shmem_long_atomic_fetch(&count[start], start), seen + r * size);
        check_sync(sync);
        shmem_sync(start, log_stride, size, sync);
    }
}

int main(void)
{
    long *sync_heap;
    t_init();
    CHECK(t_npes <= 64);
    sync_heap = t_malloc(SHMEM_BARRIER_SYNC_SIZE * sizeof(long));
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        sync_static[i] = sync_heap[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int log_stride = 0; 1 << log_stride <= t_npes; log_stride++)
        for (int start = 0; start < t_npes; start++)
            for (int size = 1; start + ((size - 1) << log_stride) < t_npes; size++) {
                rounds(start, log_stride, size, (start ^ size) & 1 ? sync_heap : sync_static);
                /* The next set has other members: all finish first, for the pSync is shared. */
                shmem_barrier_all();
            }

    /* Two disjoint sets at once, of different pace, each with its own array: even and odd PEs. */
    if (t_npes >= 4) {
        int odd = t_me & 1, size = (t_npes + !odd) / 2;
        for (int r = 0; r < 200; r++) {
            if (odd && r % 50 == 0)
                usleep(1000);
            shmem_barrier(odd, 1, size, odd ? sync_heap : sync_static);
        }
    }
    shmem_long_atomic_inc(&all_done, 0);
    shmem_barrier(0, 0, t_npes, sync_heap);
    CHECK_EQ(shmem_long_atomic_fetch(&all_done, 0), t_npes);
    shmem_barrier_all();
    shmem_free(sync_heap);
    return t_done();
}
