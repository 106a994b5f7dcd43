/* What a job between hosts does when something breaks: PEs put to each other, add to each other and wait at barriers,
 * without end or for a number of rounds. Argument: rounds (0: for ever). */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096 };

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 0;
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    long *box = shmem_calloc(N, sizeof *box), *sum = shmem_calloc(1, sizeof *sum), *mine = malloc(N * sizeof *mine);
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
