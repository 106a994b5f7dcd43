/* What a routine refuses ends a program with the race detector by the routine's own line, and at once: the detector
 * looks at the arguments before the routine does. The argument says which call the last PE makes. With `file` each PE
 * may make files that are long enough for the heap, and not for the detector. Built with -oshmpi-race. */
#include "cases.h"

#include <sys/resource.h>

static const size_t many = (size_t)1 << 40;
static long here[64], there[64], psync[64], *heap;
static uint64_t flag;

MISUSE(put, "shmem_putmem: dest") { shmem_putmem(there, here, (size_t)-8, 0); }
MISUSE(put_nbi, "shmem_putmem_nbi: dest") { shmem_putmem_nbi(heap, here, many, 0); }
MISUSE(get, "shmem_getmem: source") { shmem_getmem(here, heap, many, 0); }
MISUSE(iput, "shmem_long_iput: dest") { shmem_long_iput(there, here, 1, 1, (size_t)-5, 0); }
MISUSE(stride, "dst is -1") { shmem_long_iput(there, here, -1, 1, 8, 0); }
MISUSE(iget, "shmem_long_iget: source") { shmem_long_iget(here, heap, 2, 2, many, 0); }
MISUSE(put_signal, "shmem_putmem_signal: dest")
    { shmem_putmem_signal(heap, here, many, &flag, 1, SHMEM_SIGNAL_SET, 0); }
MISUSE(pe, "out of range") { shmem_putmem(there, here, 16, t_npes + 5); }
MISUSE(amo, "pe -7 is out of range") { shmem_long_atomic_fetch_add(there, 1, -7); }
MISUSE(set_high, "shmem_barrier: active set") { shmem_barrier(0, 0, 1 << 30, psync); }
MISUSE(set_low, "shmem_barrier: active set") { shmem_barrier(-1, 0, t_npes, psync); }
MISUSE(root, "shmem_broadcastmem: PE_root") { shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, 8, -1); }
MISUSE(members, "shmem_broadcast64: active set") { shmem_broadcast64(there, here, 4, 0, 0, 0, t_npes + 3, psync); }
MISUSE(alltoalls, "shmem_long_alltoalls: dest") { shmem_long_alltoalls(SHMEM_TEAM_WORLD, heap, here, 2, 2, many); }

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "file")) {
        struct rlimit limit = {1100u << 20, 1100u << 20};
        CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    }
    t_init();
    heap = t_malloc(4096);
    shmem_barrier_all();
    return t_misuse(how);
}
