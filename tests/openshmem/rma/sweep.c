/* Lengths from 1 byte to 4 MiB and one more and one less, put and get, from several PEs to one at once; between heap
 * and statics in all four combinations; content compared byte by byte.
 * shmem_putmem, shmem_getmem
 * rules: 29 36 52 138 139 */
#include "check.h"

enum { MOST = (4 << 20) + 1 };
static unsigned char in_static[MOST], out_static[MOST];

int main(void)
{
    unsigned char *in_heap, *out_heap;
    t_init();
    in_heap = t_malloc(MOST);
    out_heap = t_malloc(MOST);
    t_fill(out_static, MOST, (unsigned)t_me);
    t_fill(out_heap, MOST, (unsigned)t_me + 50);
    for (size_t power = 1, turn = 0; power <= MOST; power *= 2)
        for (size_t n = power - (power > 2); n <= power + 1 && n <= MOST; n++, turn++) {
            int from_heap = turn & 1, to_heap = (turn >> 1) & 1;
            unsigned char *in = to_heap ? in_heap : in_static, *out = from_heap ? out_heap : out_static;
            unsigned salt = from_heap ? 50 : 0;
            shmem_barrier_all();
            shmem_putmem(in, out, n, t_right());
            shmem_barrier_all();
            CHECK_PATTERN(in, n, (unsigned)t_left() + salt);
            memset(in, 0, n);
            shmem_barrier_all();
            /* Everybody reads PE 0's. */
            shmem_getmem(in, out, n, 0);
            CHECK_PATTERN(in, n, salt);
        }
    shmem_barrier_all();
    return t_done();
}
