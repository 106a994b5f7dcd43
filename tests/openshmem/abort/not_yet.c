/* Routines that are still to come end the job with one line that says so.
 * rules: 5 */
#include "check.h"

static long lock;

int main(void)
{
    t_init();
    if (t_me == 0)
        shmem_set_lock(&lock);
    shmem_barrier_all();
    return t_done();
}
