/* One PE, whose number is the argument, cannot use UCX: all PEs take MPI, and PE 0 says why in SHMEM_INFO. With a
 * second argument that PE has an adapter and `ulimit -l 64`, which needs the rights of root; else it has no transport.
 * rules: 36 */
#define _GNU_SOURCE
#include "adapter.h"
#include <mpi.h>

#include <dlfcn.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The library finds this function instead of MPI's, which can use UCX again. */
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    unsetenv("UCX_TLS");
    return T_NEXT(PMPI_Init_thread)(argc, argv, required, provided);
}

/* To this process the machine has an adapter, and it may lock 64 KiB. */
static void lock_little(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct rights[2];
    const struct rlimit little = {64 << 10, 64 << 10};
    t_add_adapter("infiniband/mlx5_0");
    if (setrlimit(RLIMIT_MEMLOCK, &little) != 0 || syscall(SYS_capget, &head, rights) != 0)
        T_DIE("no limit can be set");
    rights[0].effective &= ~(1u << CAP_IPC_LOCK);
    if (syscall(SYS_capset, &head, rights) != 0)
        T_DIE("a right cannot be given up");
}

int main(int argc, char **argv)
{
    static long at;
    int without = atoi(argc > 1 ? argv[1] : "0");
    if (t_launched_as() == without && argc > 2)
        lock_little();
    else if (t_launched_as() == without)
        setenv("UCX_TLS", "none_of_these", 1);
    t_init();
    shmem_long_p(&at, t_me + 1, (t_me + 1) % t_npes);
    shmem_barrier_all();
    CHECK_EQ(at, t_me == 0 ? t_npes : t_me);
    return t_done();
}
