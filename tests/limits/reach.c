/* What every place of `cargo xtask test limits` must allow: each PE writes to and reads from the next one's heap and
 * statics, by puts, gets and atomics, and touches all of a block of so many MiB (the argument). PE 0 says how the
 * others are reached. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096 };

static long in_data[N] = {7};
static long in_bss[N];
static long sum;

static void same(const char *what, long got, long expected)
{
    if (got != expected) {
        fprintf(stderr, "PE %d: %s: got %ld, expected %ld\n", shmem_my_pe(), what, got, expected);
        shmem_global_exit(3);
    }
}

int main(int argc, char **argv)
{
    const size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    char *block = shmem_malloc(mib << 20);
    if (block == NULL) {
        if (me == 0)
            fprintf(stderr, "PE 0: shmem_malloc of %zu MiB gave no memory\n", mib);
        shmem_global_exit(4);
    }
    memset(block, me + 1, mib << 20);
    long mine[N];
    for (int i = 0; i < N; i++)
        mine[i] = 1000L * me + i;
    shmem_barrier_all();
    shmem_long_put(in_data, mine, N, to);
    shmem_long_put(in_bss, mine, N, to);
    shmem_long_atomic_add(&sum, me + 1, 0);
    shmem_barrier_all();
    for (int i = 0; i < N; i++) {
        same("initialised data", in_data[i], 1000L * from + i);
        same("zeroed data", in_bss[i], 1000L * from + i);
    }
    same("sum", shmem_long_atomic_fetch(&sum, 0), (long)n * (n + 1) / 2);
    same("heap", shmem_char_g(block + (mib << 20) - 1, to), to + 1);
    int mapped = 0, moved = 0;
    for (int pe = 0; pe < n; pe++) {
        mapped += shmem_ptr(block, pe) != NULL;
        moved += shmem_ptr(&sum, pe) != NULL;
    }
    shmem_barrier_all();
    if (me == 0)
        printf("ok: %d PEs, heaps mapped %d, statics mapped %d\n", n, mapped, moved);
    shmem_free(block);
    shmem_finalize();
    return 0;
}
