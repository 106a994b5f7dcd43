/* The race detector and pages that are a thread's own again after others came: that takes no more memory each time.
 * Built with -oshmpi-race. */

#define _GNU_SOURCE
#include "check.h"

enum { PAGES = 64, PAGE = 4096, ROUNDS = 4000, WARM = 200, MOST_KIB = 4096 };

/* Memory of this process that is no file's. */
static long in_kib(void)
{
    long all = 0, resident = 0, of_files = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f != NULL);
    if (f) {
        CHECK_EQ(fscanf(f, "%ld %ld %ld", &all, &resident, &of_files), 3);
        fclose(f);
    }
    return (resident - of_files) * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(void)
{
    long before = 0, sum = 0;
    t_init();
    char *pages = shmem_align(PAGE, (size_t)PAGES * PAGE);
    CHECK(pages != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        if (round == WARM)
            before = in_kib();
        for (int i = 0; i < PAGES; i++)
            *(long *)(pages + i * PAGE) = round;
        shmem_barrier_all();
        for (int i = 0; i < PAGES; i++)
            sum += shmem_long_g((long *)(pages + i * PAGE), (t_me + 1) % t_npes) - round;
        shmem_barrier_all();
    }
    CHECK_EQ(sum, 0);
    CHECK(in_kib() - before < MOST_KIB);
    shmem_free(pages);
    return t_done();
}
