/*
 * memcpy between own shared memory and the other process's: `put` writes to it, `get` reads from it. The limit of
 * every put and get inside a node. `put_window` and `get_window` move through BENCH_WINDOW slots, as the
 * message-rate programs do, so that the caches hold as much or as little.
 */
#include "limits.h"

int main(int argc, char **argv)
{
    struct bench_options o = bench_parse(argc, argv, "put|get|put_window|get_window", LIMITS_ITERATIONS);
    int put = strncmp(o.variant, "put", 3) == 0;
    long slots = strstr(o.variant, "window") != NULL ? BENCH_WINDOW : 1;
    struct limits_pair p = limits_start(BENCH_MAX_SIZE * (size_t)slots, 1, NULL);
    char *dest = put ? p.theirs : p.mine;
    const char *source = put ? p.mine : p.theirs;

    bench_head_latency(put ? "memcpy to the other process's memory" : "memcpy from the other process's memory");
    for (size_t size = o.min; size <= o.max; size *= 2) {
        double us;
        struct bench_counts counts = slots > 1 ? bench_counts_window(&o, size) : bench_counts_for(&o, size);
        /* The size is a variable and memory may change between calls, so each memcpy is a call that happens. */
        BENCH_TIME(us, counts, size_t at = (size_t)(bench_i % slots) * size;
                   memcpy(dest + at, source + at, size); BENCH_COMPILER_BARRIER(), (void)0);
        bench_row_latency(size, us);
    }
    limits_end(&p);
    return 0;
}
