/* OSHMPI_STATICS=off: statics are ordinary private memory, said so by addr_accessible and shmem_ptr; the heap works.
 * rules: 72 73 74 */
#define T_NO_STATICS
#include "check.h"

static long word = 4;

int main(void)
{
    long *heap;
    t_init();
    heap = t_malloc(sizeof *heap);
    CHECK_EQ(shmem_addr_accessible(&word, t_right()), 0);
    CHECK_PTR(shmem_ptr(&word, t_right()), NULL);
    CHECK_EQ(shmem_addr_accessible(heap, t_right()), 1);
    word = 4 + t_me;
    shmem_long_put(heap, &word, 1, t_right());
    shmem_barrier_all();
    CHECK_EQ(*heap, 4 + t_left());
    shmem_long_get(&word, heap, 1, t_right());
    CHECK_EQ(word, 4 + t_me);
    shmem_barrier_all();
    shmem_free(heap);
    return t_done();
}
