/* Fence: what went to a PE before it is never seen after what went there behind it. Puts of every size class, p,
 * strided and AMOs ahead; the flag behind is a p, a put or an AMO (old programs spin on a plain put). Sizes vary so
 * that a library with several ways for several sizes is caught. shmem_fence, shmem_ctx_fence
 * rules: 138 231 245 246 248 */
#include "check.h"

static const size_t sizes[] = {1, 2, 8, 33, 100, 1000, 4096, 10000, 33000};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 33000, ROUNDS = 900 };
static long data_static[MOST], flag;

int main(void)
{
    long *data_heap, *source, ready = 0;
    static long ack;
    t_init();
    data_heap = t_malloc(MOST * sizeof(long));
    source = malloc(MOST * sizeof(long));
    for (long r = 1; r <= ROUNDS; r++) {
        size_t n = sizes[r % SIZES];
        long *data = (r / SIZES) & 1 ? data_heap : data_static;
        for (size_t i = 0; i < n; i++)
            source[i] = r * 100000 + (long)i;
        switch (r % 4) {
        case 0: shmem_long_put(data, source, n, t_right()); break;
        case 1:
            shmem_long_put(data + 1, source + 1, n - 1, t_right());
            shmem_long_p(data, source[0], t_right());
            break;
        case 2: shmem_long_iput(data, source, 1, 1, n, t_right()); break;
        case 3:
            shmem_putmem(data, source, n * sizeof(long), t_right());
            shmem_long_atomic_set(&data[0], source[0], t_right());
            break;
        }
        if (r & 1)
            shmem_fence();
        else
            shmem_ctx_fence(SHMEM_CTX_DEFAULT);
        switch (r % 3) {
        case 0: shmem_long_p(&flag, r, t_right()); break;
        case 1: shmem_long_put(&flag, &r, 1, t_right()); break;
        case 2: shmem_long_atomic_set(&flag, r, t_right()); break;
        }
        while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) < r)
            usleep(10);
        CHECK_EACH(n, ((volatile long *)data)[i], r * 100000 + i);
        shmem_long_atomic_set(&ack, r, t_left());
        t_wait(&ack, r);
        ready = r;
    }
    CHECK_EQ(ready, ROUNDS);
    shmem_barrier_all();
    free(source);
    return t_done();
}
