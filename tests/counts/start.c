/* What a PE asks of the launcher when shmem_init and shmem_finalize are all that a program calls, counted by the
 * preloaded pmi_count.c. Each PE prints a line: its number, the puts, gets and fences of shmem_init, and those of
 * shmem_finalize. */
#include <shmem.h>
#include <stdio.h>

enum { COUNTS = 3 };
__attribute__((weak)) void pmi_counts(unsigned long long counts[COUNTS]);

int main(void)
{
    unsigned long long init[COUNTS], all[COUNTS];
    char line[200];
    if (!pmi_counts) {
        fputs("start: pmi_count is not preloaded\n", stderr);
        return 2;
    }
    shmem_init();
    pmi_counts(init);
    int me = shmem_my_pe();
    shmem_finalize();
    pmi_counts(all);
    snprintf(line, sizeof line, "PE %d %llu %llu %llu %llu %llu %llu\n", me, init[0], init[1], init[2],
             all[0] - init[0], all[1] - init[1], all[2] - init[2]);
    fputs(line, stdout);
    return 0;
}
