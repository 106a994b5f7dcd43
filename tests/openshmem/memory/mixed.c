/* One call may have its sides in different segments, and any side may be private: every combination of stack, malloc,
 * thread-local, read-only, heap, initialised and zeroed statics as local side, with heap and statics as remote side.
 * shmem_put, shmem_get, nbi, AMO results
 * rules: 29 30 31 34 36 148 159 */
#include "check.h"

enum { N = 600 };
static unsigned char bss[N], data[N] = {1}, bss_local[N], data_local[N] = {2};
static _Thread_local unsigned char per_thread[N];
static const unsigned char constant[N] = "read only";

/* Variables of every kind of placement are symmetric. */
long external;
struct { char c; long inner[3]; } record = {'x', {1, 2, 3}};
static long *inside_function(void)
{
    static long hidden = 40;
    return &hidden;
}

int main(void)
{
    unsigned char stack[N], *private = malloc(N), *heap, *heap_local;
    unsigned char *locals[6], *remotes[3];
    unsigned k = 0;
    t_init();
    heap = t_malloc(N);
    heap_local = t_malloc(N);
    locals[0] = stack, locals[1] = private, locals[2] = per_thread, locals[3] = heap_local, locals[4] = bss_local;
    locals[5] = data_local;
    remotes[0] = heap, remotes[1] = bss, remotes[2] = data;
    for (int r = 0; r < 3; r++) {
        for (int l = 0; l < 6; l++)
            for (int nbi = 0; nbi < 2; nbi++, k++) {
                t_fill(locals[l], N, k + (unsigned)t_me);
                shmem_barrier_all();
                (nbi ? shmem_putmem_nbi : shmem_putmem)(remotes[r], locals[l], N, t_right());
                shmem_barrier_all();
                CHECK_PATTERN(remotes[r], N, k + (unsigned)t_left());
                memset(locals[l], 0, N);
                (nbi ? shmem_getmem_nbi : shmem_getmem)(locals[l], remotes[r], N, t_right());
                shmem_quiet();
                CHECK_PATTERN(locals[l], N, k + (unsigned)t_me);
            }
        shmem_barrier_all();
        shmem_putmem(remotes[r], constant, N, t_right());
        shmem_barrier_all();
        CHECK_BYTES(remotes[r], constant, N);
        shmem_barrier_all();
    }
    /* an AMO's result may land anywhere */
    {
        long on_stack = 0, *words = (long *)(void *)heap_local;
        static long target, result;
        target = 5;
        words[0] = 0;
        shmem_barrier_all();
        shmem_long_atomic_fetch_nbi(&on_stack, &target, t_right());
        shmem_long_atomic_fetch_nbi(&words[0], &target, t_right());
        shmem_long_atomic_fetch_nbi(&result, &target, t_right());
        shmem_quiet();
        CHECK_EQ(on_stack + words[0] + result, 15);
    }
    shmem_long_p(&external, 9, t_right());
    shmem_long_p(&record.inner[1], 8, t_right());
    shmem_long_p(inside_function(), 7, t_right());
    shmem_barrier_all();
    CHECK_EQ(external, 9);
    CHECK_EQ(record.c, 'x');
    CHECK_EQ(record.inner[0] * 100 + record.inner[1] * 10 + record.inner[2], 183);
    CHECK_EQ(*inside_function(), 7);
    free(private);
    return t_done();
}
