/* Put before an example that an OpenSHMEM 1.4 compiles: the call of 1.5 that the example makes on all PEs. */
#include <shmem.h>
#if SHMEM_MINOR_VERSION < 5

enum { SHMEM_TEAM_WORLD };

static inline int shmem_double_max_reduce(int team, double *dest, const double *source, int n)
{
    static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    static long sync[SHMEM_REDUCE_SYNC_SIZE];
    (void)team;
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    /* All have left the reduction before, and made their array ready. */
    shmem_barrier_all();
    shmem_double_max_to_all(dest, source, n, 0, 0, shmem_n_pes(), work, sync);
    return 0;
}

#endif
