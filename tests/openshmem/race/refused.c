/* What a routine refuses ends a program with the race detector by the routine's own line, and at once: the detector
 * looks at the arguments before the routine does. The argument says which call PE 0 makes. With `file` each PE may make
 * files that are long enough for the heap, and not for the detector. Built with -oshmpi-race. */

#include "check.h"
#include <sys/resource.h>

static long here[64], there[64], psync[64];
static uint64_t flag;

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    long *heap;
    if (!strcmp(how, "file")) {
        struct rlimit limit = {1100u << 20, 1100u << 20};
        CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    }
    t_init();
    heap = t_malloc(4096);
    shmem_barrier_all();
    if (t_me == 0) {
        const size_t many = (size_t)1 << 40;
        if (!strcmp(how, "put"))
            shmem_putmem(there, here, (size_t)-8, t_right());
        else if (!strcmp(how, "put_nbi"))
            shmem_putmem_nbi(heap, here, many, t_right());
        else if (!strcmp(how, "get"))
            shmem_getmem(here, heap, many, t_right());
        else if (!strcmp(how, "iput"))
            shmem_long_iput(there, here, 1, 1, (size_t)-5, t_right());
        else if (!strcmp(how, "stride"))
            shmem_long_iput(there, here, -1, 1, 8, t_right());
        else if (!strcmp(how, "iget"))
            shmem_long_iget(here, heap, 2, 2, many, t_right());
        else if (!strcmp(how, "signal"))
            shmem_putmem_signal(heap, here, many, &flag, 1, SHMEM_SIGNAL_SET, t_right());
        else if (!strcmp(how, "pe"))
            shmem_putmem(there, here, 16, t_npes + 5);
        else if (!strcmp(how, "amo"))
            shmem_long_atomic_fetch_add(there, 1, -7);
        else if (!strcmp(how, "set"))
            shmem_barrier(0, 0, 1 << 30, psync);
        else if (!strcmp(how, "before"))
            shmem_barrier(-1, 0, t_npes, psync);
        else if (!strcmp(how, "root"))
            shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, 8, -1);
        else if (!strcmp(how, "members"))
            shmem_broadcast64(there, here, 4, 0, 0, 0, t_npes + 3, psync);
        else if (!strcmp(how, "alltoalls"))
            shmem_long_alltoalls(SHMEM_TEAM_WORLD, heap, here, 2, 2, many);
    }
    return t_done();
}
