/* Functions of OpenSHMEM 1.0 to 1.4 that later versions do not have: swap without a type, which C11 has as a macro, and
 * the routines for caches. */
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static long word = 1;

int main(void)
{
    t_init();
    const int right = t_right();
    CHECK_EQ(shmem_swap(&word, 10L + t_me, right), 1);
    shmem_barrier_all();
    CHECK_EQ((shmem_swap)(&word, 20L + t_me, right), 10 + t_me);
    shmem_set_cache_inv();
    shmem_set_cache_line_inv(&word);
    shmem_udcflush_line(&word);
    shmem_udcflush();
    shmem_clear_cache_line_inv(&word);
    shmem_clear_cache_inv();
    shmem_barrier_all();
    CHECK_EQ(word, 20 + (t_me + t_npes - 1) % t_npes);
    return t_done();
}
