/* A PE that waits for its get carries out atomics of other PEs meanwhile. Three PEs are on hosts of their own. One
 * gets from another, which makes no call before a file is there. The first makes the file when its atomics on the
 * getting PE are through. No thread serves: OSHMPI_PROGRESS=none.
 * rules: 46 47 */
#include "check.h"

enum { ROUNDS = 100 };
static long count;
static char path[64];

int main(void)
{
    t_init();
    const int gets = t_npes / 3, sleeps = 2 * gets;
    if (t_me == 0) {
        strcpy(path, "/tmp/in_a_get.XXXXXX");
        const int file = mkstemp(path);
        CHECK(file >= 0 && close(file) == 0 && unlink(path) == 0);
        shmem_putmem(path, path, sizeof path, sleeps);
    }
    if (t_me == sleeps)
        count = 7;
    shmem_barrier_all();
    if (t_me == 0) {
        for (long i = 0; i < ROUNDS; i++) {
            usleep(2000);
            CHECK_EQ(shmem_long_atomic_fetch_inc(&count, gets), i);
        }
        FILE *file = fopen(path, "w");
        CHECK(file != NULL && fclose(file) == 0);
    } else if (t_me == gets) {
        usleep(2000); /* so that the other one has left the barrier */
        CHECK_EQ(shmem_long_g(&count, sleeps), 7);
    } else if (t_me == sleeps) {
        while (access(path, F_OK) != 0)
            usleep(1000);
    }
    shmem_barrier_all();
    if (t_me == 0)
        unlink(path);
    return t_done();
}
