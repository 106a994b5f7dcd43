/* One race, between the put and the load. Compiled as C and as C++ (cargo xtask test oshcc-mpich). */

#include <shmem.h>

static long box;

int main(void)
{
    long value = 7;
    shmem_init();
    if (shmem_my_pe() == 0)
        shmem_long_put(&box, &value, 1, 1); /* the race: no quiet before the sync */
    shmem_sync_all();
    int bad = shmem_my_pe() == 1 && box != 7;
    shmem_finalize();
    return bad;
}
