/* The conjugate gradient method for a sparse linear system A x = b. What it shows: a numerical kernel whose every step
 * is a halo exchange with two neighbours and a sum over all PEs, which goes on beside local work.
 *
 * A is the matrix of a rod with conduction and loss: 2 + LOSS on the diagonal, -1 beside it. Rows are spread in blocks;
 * a PE needs one element of each neighbour's block. b is made from a known x, so the result can be checked.
 *
 * The textbook's method needs two sums in a step, the second after the first. This is the form of Chronopoulos and
 * Gear: it keeps A p by a recurrence, so both sums are of the same vectors and become one. It is started, and x, which
 * no sum depends on, is brought up to date before its result is needed.
 *
 *     oshcc -O2 cg.c -o cg -lm && oshrun -n 4 ./cg [ROWS]
 */
#include <math.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_STEPS = 1000 };
static const double LOSS = 0.01, TOLERANCE = 1e-12;

static double halo[2];                /* the elements before and behind my block of the vector at work */
static double local_sums[2], sums[2]; /* r r and r A r */
static double local_error, global_error;

static int me, n;

/* to = A v, and local_sums of v. The halo is 0 beyond the ends of the rod. */
static void multiply(double *to, const double *v, long rows)
{
    double vv = 0, vav = 0;
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
        vv += v[i] * v[i];
        vav += v[i] * to[i];
    }
    local_sums[0] = vv;
    local_sums[1] = vav;
    /* The next exchange follows a sum over all PEs. That sum is not complete before all PEs have read the halo. */
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
    double *p = calloc((size_t)rows, sizeof *p), *ap = calloc((size_t)rows, sizeof *ap);
    double *ar = malloc((size_t)rows * sizeof *ar);
    if (!x || !r || !p || !ap || !ar) {
        fprintf(stderr, "cg: no memory\n");
        shmem_global_exit(1);
    }
    for (long i = 0; i < rows; i++)
        ar[i] = known(first + i);
    multiply(r, ar, rows); /* b, which is the residual of x = 0 */
    shmem_barrier_all();   /* all have read the halo */
    multiply(ar, r, rows);
    shmem_sum_reduce(SHMEM_TEAM_WORLD, sums, local_sums, 2);

    double rr = sums[0], alpha = rr / sums[1], beta = 0;
    const double enough = rr * TOLERANCE * TOLERANCE;
    int steps = 0;
    while (rr > enough && steps < MAX_STEPS) {
        shmemx_req_t sum;
        for (long i = 0; i < rows; i++) {
            p[i] = r[i] + beta * p[i];
            ap[i] = ar[i] + beta * ap[i];
            r[i] -= alpha * ap[i];
        }
        multiply(ar, r, rows);
        shmemx_sum_reduce_nb(SHMEM_TEAM_WORLD, sums, local_sums, 2, &sum);
        for (long i = 0; i < rows; i++)
            x[i] += alpha * p[i];
        shmemx_req_wait(&sum);
        beta = sums[0] / rr;
        rr = sums[0];
        alpha = rr / (sums[1] - beta * rr / alpha);
        steps++;
    }

    for (long i = 0; i < rows; i++)
        local_error = fmax(local_error, fabs(x[i] - known(first + i)));
    shmem_max_reduce(SHMEM_TEAM_WORLD, &global_error, &local_error, 1);
    const int failed = !(global_error < 1e-8);
    if (me == 0)
        printf("%s: %ld rows on %d PEs, %d steps, largest error %.1e\n", failed ? "WRONG" : "ok", all, n, steps,
               global_error);
    free(ar);
    free(ap);
    free(p);
    free(r);
    free(x);
    shmem_finalize();
    return failed;
}
