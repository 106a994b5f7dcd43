/* What MPI is told of windows whose atomics it carries out: all by which it may leave them to an adapter. The library
 * finds this function instead of MPI's.
 * rules: 44 */
#define _GNU_SOURCE
#include "check.h"
#include <mpi.h>

#include <dlfcn.h>

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
    static __typeof__(&PMPI_Info_set) next;
    for (int k = 0; k < KEYS; k++)
        times[k] += strcmp(key, TOLD[k][0]) == 0 && strcmp(value, TOLD[k][1]) == 0;
    if (!next)
        next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_Info_set");
    return next(info, key, value);
}

int main(void)
{
    static long word;
    t_init();
    for (int k = 0; k < KEYS; k++) {
        t_what = TOLD[k][0];
        CHECK_EQ(times[k], times[0]);
        CHECK(times[k] > 0);
    }
    shmem_long_atomic_add(&word, 1, (t_me + 1) % t_npes);
    shmem_barrier_all();
    CHECK_EQ(word, 1);
    return t_done();
}
