/* A get, a put with quiet and a fetching add to a PE that computes for a second without a call of the library: each
 * returns soon, long before the PE calls again. Argument: milliseconds the slowest of a hundred may take. With
 * T_SHOW set both PEs say what they have seen: who computes, also for how long its core was somebody else's at most.
 * rules: 47 48 */
#include "check.h"

static long target, count;
static volatile double sink = 1.0;
static volatile int done;

int main(int argc, char **argv)
{
    const double limit = (argc > 1 ? atof(argv[1]) : 5.0) * 1e-3;
    t_init();
    shmem_barrier_all();
    if (t_me == 0) {
        const double end = t_now() + 1.0;
        double last = t_now(), gap = 0;
        for (double t = last; t < end; last = t) {
            for (int i = 0; i < 10000; i++)
                sink = sink * 1.0000001 + 1e-9;
            t = t_now();
            if (t - last > gap)
                gap = t - last;
        }
        if (getenv("T_SHOW"))
            fprintf(stderr, "computed, off the core for %.2f ms at most\n", gap * 1e3);
    } else if (t_me == 1) {
        double worst[3] = {0, 0, 0}, start = t_now();
        int n = 0;
        /* Half a second: the target is still at work when the last one returns. */
        for (; n < 100 && t_now() < start + 0.5; n++) {
            double t = t_now();
            (void)shmem_long_g(&target, 0);
            double u = t_now();
            shmem_long_p(&target, n, 0);
            shmem_quiet();
            double v = t_now();
            (void)shmem_long_atomic_fetch_add(&count, 1, 0);
            double w = t_now();
            if (u - t > worst[0]) worst[0] = u - t;
            if (v - u > worst[1]) worst[1] = v - u;
            if (w - v > worst[2]) worst[2] = w - v;
            usleep(3000);
        }
        if (getenv("T_SHOW"))
            fprintf(stderr, "%d rounds, slowest get %.2f ms, put and quiet %.2f ms, fetch and add %.2f ms\n", n,
                    worst[0] * 1e3, worst[1] * 1e3, worst[2] * 1e3);
        CHECK(n >= 10);
        for (int i = 0; i < 3; i++)
            CHECK(worst[i] < limit);
    }
    shmem_barrier_all();
    return t_done();
}
