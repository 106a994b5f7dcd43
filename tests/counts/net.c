/* Calls that reach the network, counted by the preloaded net_count.c: of the start, the first barriers and the end, and
 * with an argument of operations and a quiet for one and for three PEs, twice, after there was one for all. */
#include <shmem.h>
#include <stdio.h>

enum { MANY = 3, LONG = 1 << 14 };
__attribute__((weak)) void net_phase(const char *name);
static long put_here, get_here, add_here, got[MANY];
static char from[LONG], here[MANY][LONG];

static void put(int pe) { shmem_long_p(&put_here, 1, pe); }
static void put_long(int pe) { shmem_putmem_nbi(here[pe % MANY], from, LONG, pe); }
static void get(int pe) { shmem_long_get_nbi(&got[pe % MANY], &get_here, 1, pe); }
static void add(int pe) { shmem_long_atomic_add(&add_here, 1, pe); }

/* For so many PEs behind this one, and a quiet. */
static void measure(const char *name, int pes, void (*call)(int), int fence)
{
    net_phase(name);
    for (int k = 1; k <= pes; k++)
        call((shmem_my_pe() + k) % shmem_n_pes());
    if (fence)
        shmem_fence();
    shmem_quiet();
}

int main(int argc, char **argv)
{
    (void)argv;
    shmem_init();
    if (!net_phase) {
        fputs("net: net_count is not preloaded\n", stderr);
        shmem_global_exit(2);
    }
    net_phase("first barrier");
    shmem_barrier_all();
    net_phase("barrier");
    shmem_barrier_all();
    if (argc > 1) {
        measure("ring", 1, put, 0);
        measure("all to all", shmem_n_pes() - 1, put, 0);
    }
    for (int i = 0; argc > 1 && i < 2; i++) {
        measure("1 x put", 1, put, 0);
        measure("3 x put", MANY, put, 0);
        measure("1 x put and fence", 1, put, 1);
        measure("3 x put and fence", MANY, put, 1);
        measure("1 x put of 16 KiB", 1, put_long, 0);
        measure("3 x put of 16 KiB", MANY, put_long, 0);
        measure("1 x get", 1, get, 0);
        measure("3 x get", MANY, get, 0);
        measure("1 x atomic add", 1, add, 0);
        measure("3 x atomic add", MANY, add, 0);
    }
    net_phase(argc > 1 ? "end of all" : "end");
    shmem_finalize();
    return 0;
}
