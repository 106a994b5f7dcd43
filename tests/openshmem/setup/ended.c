/* A finalize after the last one says so and does nothing, as where two libraries of a program both end OpenSHMEM. Then
 * the library can be used anew.
 * rules: U2 */
#include "check.h"

static long word;

int main(void)
{
    t_init();
    int initialised = 1;
    shmem_finalize();
    /* Not all PEs: the call is no barrier. */
    for (int i = 0; i <= t_me; i++)
        shmem_finalize();
    shmem_query_initialized(&initialised);
    CHECK_EQ(initialised, 0);
    shmem_init();
    shmem_long_p(&word, 1 + t_me, t_right());
    shmem_barrier_all();
    CHECK_EQ(word, 1 + (t_me + t_npes - 1) % t_npes);
    return t_done();
}
