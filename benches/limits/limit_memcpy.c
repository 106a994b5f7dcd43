/*
 * memcpy between own shared memory and the other process's: `put` writes to it, `get` reads from it. The limit of
 * every put and get inside a node.
 */
#include "limits.h"

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, "put|get", LIMITS_ITERATIONS);
    int put = strcmp(o.variant, "put") == 0;
    struct limits_pair p = limits_start(BENCH_MAX_SIZE, 1, NULL);
    char *dest = put ? p.theirs : p.mine;
    const char *source = put ? p.mine : p.theirs;

    bench_head_latency(put ? "memcpy to the other process's memory" : "memcpy from the other process's memory");
    for (size_t size = o.min; size <= o.max; size *= 2) {
        double us;
        /* The size is a variable and memory may change between calls, so each memcpy is a call that happens. */
        BENCH_TIME(us, bench_counts_for(&o, size), memcpy(dest, source, size); BENCH_COMPILER_BARRIER(), (void)0);
        bench_row_latency(size, us);
    }
    limits_end(&p);
    return 0;
}
