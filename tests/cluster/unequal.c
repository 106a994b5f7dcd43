/* Collectives on static variables, where one host has too little shared memory to move its statics there: on that host
 * PEs reach each other's statics in another way than on the other hosts. All members must take the same algorithm.
 * PE 0 also tells how many PEs cannot map the statics of the other PE of their host; each host has two.
 * Arguments: a number of collectives' rounds. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16, LONG = 1 << 13 };
/* Beyond the shared memory of the small host. */
static char large[40 << 20] = {1};
static long source[LONG * MOST], dest[LONG * MOST], start[MOST + 1];

static int wrong(const char *what, long i, long got, long want)
{
    if (got != want)
        fprintf(stderr, "PE %d: %s: element %ld is %ld, not %ld\n", shmem_my_pe(), what, i, got, want);
    return got != want;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1, bad = 0;
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    large[me] = 1;
    const long lengths[] = {1, 40, LONG};
    for (int k = 0; k < 3 * rounds && !bad; k++) {
        long each = lengths[k % 3];
        for (long i = 0; i < each * n; i++)
            source[i] = me * 1000 + i / each;
        shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, each);
        for (int pe = 0; pe < n; pe++)
            bad |= wrong("alltoall", pe, dest[pe * each + each - 1], pe * 1000 + me);
        shmem_barrier_all();
        shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, each);
        for (int pe = 0; pe < n; pe++)
            bad |= wrong("fcollect", pe, dest[pe * each], pe * 1000);
        shmem_barrier_all();
        shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, (size_t)(each - me % 2));
        for (int pe = 0; pe < n; pe++) {
            start[pe + 1] = start[pe] + each - pe % 2;
            if (start[pe + 1] > start[pe])
                bad |= wrong("collect", pe, dest[start[pe]], pe * 1000);
        }
        shmem_barrier_all();
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, (size_t)each);
        bad |= wrong("reduce", each - 1, dest[each - 1], 1000L * n * (n - 1) / 2);
        shmem_barrier_all();
        shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, source, (size_t)each);
        bad |= wrong("inscan", each - 1, dest[each - 1], 1000L * me * (me + 1) / 2);
        shmem_barrier_all();
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, (size_t)each, n - 1);
        bad |= wrong("broadcast", each - 1, dest[each - 1], 1000L * (n - 1));
        shmem_barrier_all();
    }
    if (bad)
        shmem_global_exit(1);
    source[0] = shmem_team_ptr(SHMEM_TEAM_SHARED, large, 1 - shmem_team_my_pe(SHMEM_TEAM_SHARED)) == NULL;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 1);
    if (me == 0)
        printf("%d PEs agree, %ld without each other's variables\n", n, dest[0]);
    shmem_finalize();
    return 0;
}
