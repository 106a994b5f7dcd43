/* How MPI's windows are used where all goes by them. MPI is told all by which it may leave atomics to an adapter; and a
 * quiet is one flush of a PE that was used, of the window that was used. The library finds these functions instead of
 * MPI's.
 * rules: 152 */
#define _GNU_SOURCE
#include "check.h"
#include <mpi.h>

#include <dlfcn.h>
#include <stdatomic.h>

static const char *const TOLD[][2] = {
    {"accumulate_ordering", "none"},
    {"same_disp_unit", "true"},
    {"acc_single_intrinsic", "true"},
    {"which_accumulate_ops", "sum,band,bor,bxor,replace,no_op,cswap"},
    {"disable_shm_accumulate", "true"},
};
enum { KEYS = sizeof TOLD / sizeof *TOLD };
static int times[KEYS];

int PMPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    for (int k = 0; k < KEYS; k++)
        times[k] += strcmp(key, TOLD[k][0]) == 0 && strcmp(value, TOLD[k][1]) == 0;
    return T_NEXT(PMPI_Info_set)(info, key, value);
}

static atomic_int flushes;

int PMPI_Win_flush(int rank, MPI_Win win)
{
    atomic_fetch_add(&flushes, 1);
    return T_NEXT(PMPI_Win_flush)(rank, win);
}

int main(void)
{
    static long word;
    t_init();
    long *in_heap = shmem_calloc(1, sizeof *in_heap);
    for (int k = 0; k < KEYS; k++) {
        t_what = TOLD[k][0];
        CHECK_EQ(times[k], times[0]);
        CHECK(times[k] > 0);
    }
    t_what = "";
    for (int k = 1; k <= 3; k++) {
        /* one window, the other one, both */
        atomic_store(&flushes, 0);
        if (k & 1)
            shmem_long_atomic_add(&word, 1, (t_me + 1) % t_npes);
        if (k & 2)
            shmem_long_atomic_add(in_heap, 1, (t_me + 1) % t_npes);
        shmem_quiet();
        shmem_quiet();
        CHECK_EQ(atomic_load(&flushes), k == 3 ? 2 : 1);
    }
    shmem_barrier_all();
    CHECK_EQ(word, 2);
    CHECK_EQ(*in_heap, 2);
    shmem_free(in_heap);
    return t_done();
}
