/* MPI's windows that fail: the job goes on by messages, or ends with a line if all goes by windows. The library finds
 * these functions instead of UCX's and MPI's. Argument: `memory`, the last PE cannot register its memory; `put`, the
 * put fails by which PE 0 finds out what windows do by themselves; `separate`, MPI keeps a copy of windows' memory.
 * rules: 36 */
#define _GNU_SOURCE
#include "check.h"
#include <mpi.h>

#include <dlfcn.h>

static const char *what = "";
static int starting, refused;

static int is_last(void)
{
    int rank, n;
    return MPI_Comm_rank(MPI_COMM_WORLD, &rank) == 0 && MPI_Comm_size(MPI_COMM_WORLD, &n) == 0 && rank == n - 1;
}

signed char ucp_mem_map(void *context, const void *params, void **memory)
{
    if (starting && strcmp(what, "memory") == 0 && is_last()) {
        refused = 1;
        return -3; /* UCS_ERR_IO_ERROR */
    }
    return T_NEXT(ucp_mem_map)(context, params, memory);
}

int PMPI_Put(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint disp, int there_n, MPI_Datatype there_type,
             MPI_Win win)
{
    if (starting && strcmp(what, "put") == 0) {
        refused = 1;
        return MPI_ERR_OTHER;
    }
    return T_NEXT(PMPI_Put)(from, n, type, rank, disp, there_n, there_type, win);
}

int PMPI_Win_get_attr(MPI_Win win, int key, void *value, int *there)
{
    static int separate = MPI_WIN_SEPARATE;
    if (starting && strcmp(what, "separate") == 0 && key == MPI_WIN_MODEL) {
        refused = *there = 1;
        *(int **)value = &separate;
        return MPI_SUCCESS;
    }
    return T_NEXT(PMPI_Win_get_attr)(win, key, value, there);
}

int main(int argc, char **argv)
{
    static long to, from[3000];
    long got[3000];
    int code;
    what = argc > 1 ? argv[1] : what;
    if (MPI_Init(&argc, &argv) != 0)
        T_DIE("no MPI");
    starting = 1;
    t_init();
    starting = 0;
    CHECK_EQ(refused, strcmp(what, "separate") == 0 || t_me == (strcmp(what, "put") == 0 ? 0 : t_npes - 1));
    for (long i = 0; i < 3000; i++)
        from[i] = t_me * 10000 + i;
    shmem_barrier_all();
    shmem_long_get(got, from, 3000, (t_me + 1) % t_npes);
    CHECK_EACH(3000, got[i], (t_me + 1) % t_npes * 10000 + i);
    shmem_long_atomic_add(&to, t_me + 1, 0);
    shmem_long_p(from, 7, (t_me + 1) % t_npes);
    shmem_barrier_all();
    CHECK_EQ(from[0], 7);
    CHECK(t_me != 0 || to == (long)t_npes * (t_npes + 1) / 2);
    code = t_done();
    MPI_Finalize();
    return code;
}
