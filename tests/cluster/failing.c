/* What a job between hosts does when something breaks: PEs put to each other, add to each other and wait at barriers,
 * without end or for a number of rounds. Arguments: rounds (0: for ever), seconds after which PE 1 kills itself (0: it
 * does not), and "_exit" where it leaves so instead, which launchers between hosts may overlook. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 4096 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 0;
    const double dies = argc > 2 ? atof(argv[2]) : 0.0;
    const int quietly = argc > 3 && strcmp(argv[3], "_exit") == 0;
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    long *box = shmem_calloc(N, sizeof *box), *sum = shmem_calloc(1, sizeof *sum), *mine = malloc(N * sizeof *mine);
    const double start = now();
    shmem_barrier_all();
    if (me == 0) {
        puts("started");
        fflush(stdout);
    }
    for (long round = 1; rounds == 0 || round <= rounds; round++) {
        for (int i = 0; i < N; i++)
            mine[i] = round * N + i + me;
        shmem_long_put(box, mine, N, to);
        shmem_long_atomic_add(sum, round, to);
        if (me == 1 && dies > 0.0 && now() - start > dies) {
            if (quietly)
                _exit(0);
            kill(getpid(), SIGKILL);
        }
        shmem_barrier_all();
        for (int i = 0; i < N; i++)
            if (box[i] != round * N + i + from) {
                fprintf(stderr, "PE %d: round %ld: element %d is %ld\n", me, round, i, box[i]);
                shmem_global_exit(9);
            }
        const long added = shmem_long_g(sum, me);
        if (added != round * (round + 1) / 2) {
            fprintf(stderr, "PE %d: round %ld: the sum is %ld\n", me, round, added);
            shmem_global_exit(10);
        }
        shmem_barrier_all();
    }
    if (me == 0)
        puts("done");
    free(mine);
    shmem_finalize();
    return 0;
}
