/* The conjugate gradient method for a sparse linear system A x = b. What it shows: a numerical kernel whose every step
 * is a halo exchange with two neighbours and two sums over all PEs.
 *
 * A is the matrix of a rod with conduction and loss: 2 + LOSS on the diagonal, -1 beside it. Rows are spread in blocks;
 * a PE needs one element of each neighbour's block. b is made from a known x, so the result can be checked.
 *
 *     oshcc -O2 cg.c -o cg -lm && oshrun -n 4 ./cg [ROWS]
 */
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_STEPS = 1000 };
static const double LOSS = 0.01, TOLERANCE = 1e-12;

static double halo[2];                /* the elements before and behind my block of the vector at work */
static double local_sum, global_sum[2];
static double local_error, global_error;

static int me, n;

/* A sum over all PEs. Sums follow each other without a barrier, so their results alternate between two words: a PE that
 * is ahead by one sum does not write to the word that others still read. */
static double dot(const double *u, const double *v, long rows)
{
    static int turn;
    double *result = &global_sum[turn ^= 1];
    local_sum = 0;
    for (long i = 0; i < rows; i++)
        local_sum += u[i] * v[i];
    shmem_sum_reduce(SHMEM_TEAM_WORLD, result, &local_sum, 1);
    return *result;
}

/* to = A v. The halo is 0 beyond the ends of the rod. */
static void multiply(double *to, const double *v, long rows)
{
    if (rows > 0) {
        if (me > 0)
            shmem_p(&halo[1], v[0], me - 1);
        if (me < n - 1)
            shmem_p(&halo[0], v[rows - 1], me + 1);
    }
    shmem_barrier_all(); /* the halos have arrived */
    for (long i = 0; i < rows; i++) {
        const double before = i > 0 ? v[i - 1] : halo[0], behind = i < rows - 1 ? v[i + 1] : halo[1];
        to[i] = (2 + LOSS) * v[i] - before - behind;
    }
    /* The next exchange follows a sum over all PEs. No PE leaves that sum before all PEs have read the halo. */
}

static double known(long row)
{
    return sin(0.001 * (double)row) + 0.5 * cos(0.037 * (double)row);
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    const long all = argc > 1 ? atol(argv[1]) : 100000;
    if (all < n) {
        fprintf(stderr, "usage: cg [ROWS], at least one row for each PE\n");
        shmem_global_exit(2);
    }
    const long first = all * me / n, rows = all * (me + 1) / n - first;

    /* Private memory: only the halo is ever written by others. */
    double *x = calloc((size_t)rows, sizeof *x), *r = malloc((size_t)rows * sizeof *r);
    double *p = calloc((size_t)rows, sizeof *p), *ap = malloc((size_t)rows * sizeof *ap);
    if (!x || !r || !p || !ap) {
        fprintf(stderr, "cg: no memory\n");
        shmem_global_exit(1);
    }
    for (long i = 0; i < rows; i++)
        p[i] = known(first + i);
    multiply(r, p, rows); /* b, which is the residual of x = 0 */
    for (long i = 0; i < rows; i++)
        p[i] = r[i];

    double rr = dot(r, r, rows);
    const double enough = rr * TOLERANCE * TOLERANCE;
    int steps = 0;
    while (rr > enough && steps < MAX_STEPS) {
        multiply(ap, p, rows);
        const double alpha = rr / dot(p, ap, rows);
        for (long i = 0; i < rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        const double next = dot(r, r, rows), beta = next / rr;
        for (long i = 0; i < rows; i++)
            p[i] = r[i] + beta * p[i];
        rr = next;
        steps++;
    }

    for (long i = 0; i < rows; i++)
        local_error = fmax(local_error, fabs(x[i] - known(first + i)));
    shmem_max_reduce(SHMEM_TEAM_WORLD, &global_error, &local_error, 1);
    const int failed = !(global_error < 1e-8);
    if (me == 0)
        printf("%s: %ld rows on %d PEs, %d steps, largest error %.1e\n", failed ? "WRONG" : "ok", all, n, steps,
               global_error);
    free(ap);
    free(p);
    free(r);
    free(x);
    shmem_finalize();
    return failed;
}
