/* The memory of this process, as the kernel counts it. */
#ifndef BENCH_COMMON_MEMORY_H
#define BENCH_COMMON_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

struct memory {
    long rss, pss, anonymous; /* KiB */
};

static inline struct memory memory_now(void)
{
    struct memory m = {-1, -1, -1};
    char line[256];
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    if (f == NULL) {
        perror("/proc/self/smaps_rollup");
        exit(1);
    }
    while (fgets(line, sizeof line, f) != NULL) {
        sscanf(line, "Rss: %ld", &m.rss);
        sscanf(line, "Pss: %ld", &m.pss);
        sscanf(line, "Anonymous: %ld", &m.anonymous);
    }
    fclose(f);
    return m;
}

#endif
