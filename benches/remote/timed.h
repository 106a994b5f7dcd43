/* Batches of calls of OpenSHMEM, of MPI, or of both in turns, and their medians. No MPI and no OpenSHMEM here. */
#ifndef FAR_TIMED_H
#define FAR_TIMED_H

#include "../common/bench.h"

enum { MOST_BATCHES = 41 };

/* `i` counts the calls of a batch. */
typedef void call_fn(size_t bytes, int i);

/* Prints a row if this process is PE 0: operation, bytes, microseconds by each of the two that is not NULL, and of both
 * their ratio. `ready`, if it is not NULL, is called before each batch. */
static void row_of(const char *name, size_t bytes, int times, int batches, call_fn *ours, call_fn *mpi,
                   void (*ready)(void), int me)
{
    call_fn *calls[] = {ours, mpi};
    double us[2][MOST_BATCHES], median[2];
    for (int i = -2; i < 2 * batches; i++) {
        int k = i < 0 ? i + 2 : (i + i / 2) % 2; /* each is the first of the two in every other turn */
        int n = i < 0 ? times / 2 + 2 : times;   /* the first batch of each is not counted */
        if (calls[k] == NULL)
            continue;
        if (ready != NULL)
            ready();
        double start = bench_now_us();
        for (int call = 0; call < n; call++)
            calls[k](bytes, call);
        if (i >= 0)
            us[k][i / 2] = (bench_now_us() - start) / n;
    }
    if (me != 0)
        return;
    printf("%-14s %8zu", name, bytes);
    for (int k = 0; k < 2; k++)
        if (calls[k] != NULL)
            printf(" %10.2f", median[k] = bench_median(us[k], batches));
    if (ours != NULL && mpi != NULL)
        printf(" %7.3f", median[0] / median[1]);
    printf("\n"), fflush(stdout);
}

#endif
