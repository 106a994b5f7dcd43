/* One PE, whose number is the argument, cannot use UCX: all PEs take MPI, and PE 0 says why in SHMEM_INFO.
 * rules: 36 */
#define _GNU_SOURCE
#include "check.h"
#include <mpi.h>

#include <dlfcn.h>

/* The library finds this function instead of MPI's, which can use UCX again. */
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    __typeof__(&PMPI_Init_thread) next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_Init_thread");
    unsetenv("UCX_TLS");
    return next(argc, argv, required, provided);
}

static int rank(void)
{
    const char *of[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
    for (unsigned i = 0; i < 3; i++)
        if (getenv(of[i]))
            return atoi(getenv(of[i]));
    T_DIE("no rank");
}

int main(int argc, char **argv)
{
    static long at;
    int without = atoi(argc > 1 ? argv[1] : "0");
    if (rank() == without)
        setenv("UCX_TLS", "none_of_these", 1);
    t_init();
    shmem_long_p(&at, t_me + 1, (t_me + 1) % t_npes);
    shmem_barrier_all();
    CHECK_EQ(at, t_me == 0 ? t_npes : t_me);
    return t_done();
}
