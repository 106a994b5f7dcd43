/* A program without a heap: static variables only, and many operations under way.
 * rules: 29 28 */
#include "check.h"

enum { MANY = 1000 };
static long box[MANY], source[MANY];

int main(void)
{
    t_init();
    for (long i = 0; i < MANY; i++)
        source[i] = t_me * MANY + i;
    shmem_barrier_all();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++)
            shmem_long_put_nbi(&box[i], &source[i], 1, t_right());
        shmem_quiet();
        shmem_barrier_all();
        for (long i = 0; i < MANY; i++)
            CHECK_EQ(box[i], t_left() * MANY + i);
        shmem_barrier_all();
    }
    return t_done();
}
