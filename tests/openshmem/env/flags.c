/* SHMEM_VERSION, SHMEM_INFO and SHMEM_DEBUG, set to a value, print or check more but change no result.
 * rules: 22 27 */
#include "check.h"

static long box;

int main(void)
{
    long *heap;
    t_init();
    heap = shmem_calloc(4, sizeof *heap);
    shmem_long_put(heap, (long[]){1, 2, 3, 4}, 4, t_right());
    shmem_long_p(&box, 7, t_right());
    shmem_barrier_all();
    CHECK_EQ(heap[3], 4);
    CHECK_EQ(box, 7);
    shmem_free(heap);
    return t_done();
}
