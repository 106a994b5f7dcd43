/* The shifted names work when called directly, the old names' shifted forms too, and are the same functions as long as
 * no tool is there.
 * pshmem_*, pstart_pes, p_my_pe, p_num_pes, pshmalloc, pshfree, pshrealloc, pshmemalign
 * rules: 4 5 260 261 */
#include "check.h"

#include <pshmem.h>

static long box;
static long double wide;

int main(void)
{
    long *heap;
    t_alarm();
    pshmem_init();
    t_begin();
    CHECK_EQ(pshmem_my_pe(), t_me);
    CHECK_EQ(pshmem_n_pes(), t_npes);
    CHECK_EQ(p_my_pe(), t_me);
    CHECK_EQ(p_num_pes(), t_npes);
    heap = pshmalloc(64);
    CHECK(heap != NULL);
    heap = pshrealloc(heap, 128);
    CHECK(heap != NULL);
    pshmem_long_p(heap, 4 + t_me, t_right());
    pshmem_longdouble_p(&wide, 0.1L, t_right());
    pshmem_barrier_all();
    CHECK_EQ(*heap, 4 + t_left());
    CHECK_FEQ(pshmem_longdouble_g(&wide, t_right()), 0.1L);
    CHECK_EQ(pshmem_long_atomic_fetch_add(&box, 3, t_me), 0);
    CHECK_EQ(pshmem_long_atomic_fetch(&box, t_me), 3);
    pshmem_pcontrol(0);
    pshfree(heap);
    heap = pshmemalign(4096, 8);
    CHECK_EQ((uintptr_t)heap % 4096, 0);
    pshfree(heap);
    CHECK((void (*)(void))pshmem_barrier_all == (void (*)(void))shmem_barrier_all);
    CHECK((void (*)(void))pshmem_quiet == (void (*)(void))shmem_quiet);
    return t_done();
}
