/* snippet: c99 c11 c17 */
/* A program of the days of OpenSHMEM 1.0, with its names and its header. */
#include <mpp/shmem.h>

static long psync[_SHMEM_BCAST_SYNC_SIZE], rsync[_SHMEM_REDUCE_SYNC_SIZE];
static double pwrk[_SHMEM_REDUCE_MIN_WRKDATA_SIZE + 4], total, part;
static long lock, counter;
static int answer;

int main(void)
{
    start_pes(0);
    int me = _my_pe(), n = _num_pes();
    for (int i = 0; i < _SHMEM_BCAST_SYNC_SIZE; i++)
        psync[i] = _SHMEM_SYNC_VALUE;
    for (int i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; i++)
        rsync[i] = _SHMEM_SYNC_VALUE;
    int *block = (int *)shmalloc(sizeof *block);
    block = (int *)shrealloc(block, 2 * sizeof *block);
    double *lines = (double *)shmemalign(64, 64);
    shmem_barrier_all();
    shmem_set_lock(&lock);
    shmem_int_p(block, me, (me + 1) % n);
    answer = shmem_int_g(block, me) + shmem_int_fadd(block, 1, me) + shmem_int_cswap(block, 1, 2, me);
    shmem_clear_lock(&lock);
    shmem_long_inc(&counter, 0);
    shmem_long_add(&counter, shmem_long_finc(&counter, 0), 0);
    shmem_double_swap(&part, 1.5, me);
    shmem_int_wait_until(&answer, _SHMEM_CMP_NE, -1);
    shmem_wait(&counter, -1);
    counter = shmem_swap(&counter, 1L, me);
    shmem_udcflush();
    shmem_broadcast64(lines, lines, 1, 0, 0, 0, n, psync);
    shmem_double_sum_to_all(&total, &part, 1, 0, 0, n, pwrk, rsync);
    shmem_barrier(0, 0, n, psync);
    shfree(block);
    shfree(lines);
    return 0;
}
