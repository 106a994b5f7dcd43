/* Routines that are still to come end the job with one line that says so.
 * rules: 5 */
#include "check.h"

static long word;

int main(void)
{
    t_init();
    if (t_me == 0)
        shmem_broadcastmem(SHMEM_TEAM_WORLD, &word, &word, sizeof word, 0);
    shmem_barrier_all();
    return t_done();
}
