/* start_pes ignores its argument and further calls; the program ends without finalize, and the end is collective: PE 0
 * comes late and still reaches the memory of all the others, and what they had on the way has arrived.
 * start_pes, _my_pe, _num_pes
 * rules: 65 66 */
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static long box, arrived;

int main(void)
{
    t_alarm();
    start_pes(77);
    start_pes(0);
    t_begin();
    CHECK_EQ(_my_pe(), t_me);
    CHECK_EQ(_num_pes(), t_npes);
    CHECK(t_npes < 77);
    box = 100 + t_me;
    shmem_barrier_all();
    shmem_long_atomic_add(&arrived, 1, 0);
    if (t_me != 0)
        return t_failures != 0; /* waits inside exit() for PE 0 */
    usleep(300000);
    CHECK_EACH(t_npes, shmem_long_g(&box, i), 100 + i);
    t_wait(&arrived, t_npes); /* a PE may have had no core until now */
    CHECK_EQ(shmem_long_atomic_fetch(&arrived, 0), t_npes);
    if (t_failures == 0)
        puts("ok");
    return t_failures != 0;
}
