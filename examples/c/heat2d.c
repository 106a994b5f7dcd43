/* The temperature of a metal plate whose edges are held at given temperatures.
 *
 * The plate is a grid of ROWS x COLS points. In the end every point has the mean temperature of its four neighbours;
 * we sweep over the plate until that is so within a tolerance, by successive over-relaxation: each step towards the
 * mean of the neighbours as they are now is OMEGA times as long (with OMEGA 1 that is the method of Gauss and Seidel).
 * The points are coloured like a chessboard; first all red ones are computed, then all black ones: so the result does
 * not depend on the number of PEs.
 *
 * Every PE owns a block of rows and keeps a copy of the row above and of the row below it: its halo. After each colour
 * it puts its outer rows into its neighbours' halos. Now and then the PEs look how far they are: the maximum over all
 * of them goes on beside the next sweep. At the end PE 0 solves the same problem alone and compares.
 *
 *     oshcc -O2 heat2d.c -o heat2d -lm && oshrun -n 4 ./heat2d -o heat2d.ppm
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
    long rows, cols;
    double tolerance; /* degrees: how far a point may be from the mean of its neighbours */
    double omega;     /* 0: the best one for a plate of this size */
    long max_sweeps;
    const char *picture; /* file name, or NULL */
};

/* Sweeps between two computations of the residual, each of which costs a reduction. */
enum { LOOK = 16 };
static const double pi = 3.14159265358979323846;
static const char usage[] =
    "usage: heat2d [-n ROWSxCOLS] [-t TOLERANCE] [-w OMEGA] [-i MAX_SWEEPS] [-o FILE.ppm]\n"
    "ROWSxCOLS such as 512x512, TOLERANCE above 0 such as 1e-4, OMEGA between 0 and 2";

/* ---- The numerical part: knows nothing of PEs. -------------------------------------------------------------- */

/* Some consecutive rows of the plate. cell[0] is the row above the first one, cell[rows + 1] the one below the last
 * one; every row has an edge point on the left and on the right. */
struct block {
    long first, rows, cols;
    double *cell;
};

static double *row(double *cell, long cols, long r)
{
    return cell + r * (cols + 2);
}

/* What the edges are held at, in degrees; x and y go from 0 to 1 along the plate. */
static double bump(double x, double middle, double width)
{
    double d = (x - middle) / width;
    return fabs(d) < 1 ? 0.5 + 0.5 * cos(pi * d) : 0;
}
static double top_edge(double x) { return 100 * bump(x, 0.30, 0.25) + 70 * bump(x, 0.80, 0.15); }
static double left_edge(double y) { return 85 * bump(y, 0.65, 0.20); }
static double right_edge(double y) { return 60 * bump(y, 0.55, 0.40); }

/* Sets a block to 0 degrees, and its points on the plate's edge to what they are held at. */
static void set_edges(double *cell, long first, long rows, const struct options *o)
{
    for (long r = 0; r < rows + 2; r++) {
        double *at = row(cell, o->cols, r);
        double y = (double)(first + r) / (double)(o->rows + 1);
        for (long c = 0; c < o->cols + 2; c++)
            at[c] = first + r == 0 ? top_edge((double)c / (double)(o->cols + 1)) : 0;
        if (first + r > 0 && first + r <= o->rows) {
            at[0] = left_edge(y);
            at[o->cols + 1] = right_edge(y);
        }
    }
}

/* The column of the first point of a colour in row r of the block. */
static long first_of(const struct block *b, long r, int colour)
{
    return 1 + ((b->first + r + colour) & 1);
}

static void compute(struct block *b, int colour, double omega)
{
    for (long r = 1; r <= b->rows; r++) {
        const double *up = row(b->cell, b->cols, r - 1), *down = row(b->cell, b->cols, r + 1);
        double *at = row(b->cell, b->cols, r);
        for (long c = first_of(b, r, colour); c <= b->cols; c += 2)
            at[c] += omega * (0.25 * (up[c] + down[c] + at[c - 1] + at[c + 1]) - at[c]);
    }
}

/* How far a point is from the mean of its neighbours, at most. */
static double residual(struct block *b)
{
    double most = 0;
    for (long r = 1; r <= b->rows; r++) {
        const double *up = row(b->cell, b->cols, r - 1), *at = row(b->cell, b->cols, r),
                     *down = row(b->cell, b->cols, r + 1);
        for (long c = 1; c <= b->cols; c++) {
            double far = fabs(0.25 * (up[c] + down[c] + at[c - 1] + at[c + 1]) - at[c]);
            most = far > most ? far : most;
        }
    }
    return most;
}

/* ---- The parallel part: who owns what, halos, and the residual over all PEs. -------------------------------- */

/* The rows of PE `pe`: as even as possible, the first ones one more. A PE may have none. */
static void rows_of(int pe, int n_pes, long rows, long *first, long *count)
{
    long each = rows / n_pes, more = rows % n_pes;
    *count = each + (pe < more);
    *first = pe * each + (pe < more ? pe : more);
}

/* A PE's neighbours; -1 where the plate ends. */
struct place {
    int me, n_pes, above, below;
    long rows_above; /* rows of the PE above: our first row goes below them */
};

static struct place find_place(long rows)
{
    struct place p = {shmem_my_pe(), shmem_n_pes(), -1, -1, 0};
    long first, mine, theirs;
    rows_of(p.me, p.n_pes, rows, &first, &mine);
    if (mine > 0 && p.me > 0) {
        p.above = p.me - 1;
        rows_of(p.above, p.n_pes, rows, &first, &p.rows_above);
    }
    if (mine > 0 && p.me + 1 < p.n_pes) {
        rows_of(p.me + 1, p.n_pes, rows, &first, &theirs);
        p.below = theirs > 0 ? p.me + 1 : -1;
    }
    return p;
}

/* Puts the points of one colour in our outer rows into the neighbours' halos, and waits until all PEs have done so.
 * Only every second point is put, because a neighbour may still read the others. */
static void exchange(const struct block *b, const struct place *p, int colour)
{
    long top = first_of(b, 1, colour), bottom = first_of(b, b->rows, colour);
    if (p->above >= 0)
        shmem_double_iput(row(b->cell, b->cols, p->rows_above + 1) + top, row(b->cell, b->cols, 1) + top, 2, 2,
                          (size_t)(b->cols - top + 2) / 2, p->above);
    if (p->below >= 0)
        shmem_double_iput(row(b->cell, b->cols, 0) + bottom, row(b->cell, b->cols, b->rows) + bottom, 2, 2,
                          (size_t)(b->cols - bottom + 2) / 2, p->below);
    shmem_barrier_all();
}

/* ---- Solving: the same steps on all PEs together, or on one alone. ------------------------------------------- */

struct result {
    long sweeps;
    double residual, seconds;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Shows how far we are: in place on a terminal, else a line every half second. */
static void progress(const struct result *r, double start, const char *who, bool last)
{
    static double shown;
    bool terminal = isatty(STDERR_FILENO);
    double t = now(), since = t - (shown > start ? shown : start);
    if (last ? !terminal : since < (terminal ? 0.1 : 0.5))
        return;
    shown = t;
    fprintf(stderr, "%ssweep %ld%s, residual %.3e, %.1f s%s", terminal ? "\r" : "", r->sweeps, who, r->residual,
            t - start, terminal && !last ? "" : "\n");
    fflush(stderr);
}

static double mine, largest; /* residuals of this PE and of all: symmetric */
static shmemx_req_t look;

/* Starts to look how far the plate is as it is now. */
static void start_look(struct block *b, const struct place *place)
{
    mine = residual(b);
    if (place)
        shmemx_double_max_reduce_nb(SHMEM_TEAM_WORLD, &largest, &mine, 1, &look);
}

static double end_look(const struct place *place)
{
    if (place)
        shmemx_req_wait(&look);
    return place ? largest : mine;
}

/* Sweeps until the residual is within the tolerance. What a look has found is known after one more sweep. If that is
 * near enough, the plate is looked at again. place: our place among the PEs, or NULL to work alone. */
static struct result solve(struct block *b, const struct options *o, const struct place *place)
{
    struct result r = {0, 0, 0};
    const char *who = place ? "" : " (serial)";
    bool shows = !place || place->me == 0, looks = false, ends = false;
    double start = now();
    while (!ends) {
        for (int colour = 0; colour < 2; colour++) {
            compute(b, colour, o->omega);
            if (place)
                exchange(b, place, colour);
        }
        r.sweeps++;
        if (looks) {
            r.residual = end_look(place);
            if (shows)
                progress(&r, start, who, false);
        }
        const bool last = r.sweeps >= o->max_sweeps || (looks && r.residual <= o->tolerance);
        looks = last || r.sweeps % LOOK == 0;
        if (looks)
            start_look(b, place);
        if (last) {
            r.residual = end_look(place);
            ends = r.sweeps >= o->max_sweeps || r.residual <= o->tolerance;
            looks = false;
        }
    }
    r.seconds = now() - start;
    if (shows)
        progress(&r, start, who, true);
    return r;
}

/* ---- The result on PE 0. -------------------------------------------------------------------------------------- */

/* Fetches all PEs' rows into one plate. `remote` is the symmetric address of everyone's cells. */
static void gather(double *plate, const double *remote, const struct options *o, int n_pes)
{
    for (int pe = 0; pe < n_pes; pe++) {
        long first, count;
        rows_of(pe, n_pes, o->rows, &first, &count);
        for (long r = 1; r <= count; r++)
            shmem_double_get(row(plate, o->cols, first + r) + 1, remote + r * (o->cols + 2) + 1, (size_t)o->cols, pe);
    }
}

/* Colours from cold to hot, through these points; bright means hot also without colours. */
static void make_palette(unsigned char palette[768])
{
    static const double through[][3] = {{6, 8, 34},     {36, 20, 92},   {98, 22, 112},  {160, 38, 100},
                                        {214, 68, 70},  {244, 120, 38}, {251, 186, 48}, {252, 250, 190}};
    enum { PARTS = sizeof through / sizeof *through - 1 };
    for (int i = 0; i < 256; i++) {
        double at = i / 255.0 * PARTS;
        int k = at < PARTS ? (int)at : PARTS - 1;
        for (int rgb = 0; rgb < 3; rgb++) {
            double a = through[k][rgb], z = through[k + 1][rgb];
            palette[3 * i + rgb] = (unsigned char)(a + (at - k) * (z - a) + 0.5);
        }
    }
}

/* Writes a picture in the format PPM: red, green and blue of each point. */
static int draw(const char *name, const double *plate, const struct options *o)
{
    size_t width = (size_t)o->cols + 2, height = (size_t)o->rows + 2;
    unsigned char palette[768];
    FILE *file = fopen(name, "wb");
    if (!file)
        return -1;
    make_palette(palette);
    fprintf(file, "P6\n%zu %zu\n255\n", width, height);
    for (size_t i = 0; i < width * height; i++) {
        double t = plate[i] / 100 * 255 + 0.5;
        fwrite(palette + 3 * (t < 0 ? 0 : t > 255 ? 255 : (int)t), 1, 3, file);
    }
    int failed = ferror(file);
    return fclose(file) || failed ? -1 : 0;
}

/* Prints the result, compares it with a solution by one PE alone, draws it. Returns the program's exit code. */
static int report(const double *remote, const struct options *o, const struct result *parallel, int n_pes)
{
    size_t cells = (size_t)(o->rows + 2) * (size_t)(o->cols + 2);
    struct block alone = {0, o->rows, o->cols, malloc(cells * sizeof(double))};
    double *plate = malloc(cells * sizeof(double));
    if (!alone.cell || !plate) {
        fprintf(stderr, "heat2d: no memory for a serial solution of %ld x %ld points\n", o->rows, o->cols);
        return 1;
    }
    set_edges(plate, 0, o->rows, o);
    gather(plate, remote, o, n_pes);

    printf("%ld x %ld points, %d PE%s: %ld sweeps, residual %.3e, %.2f s\n", o->rows, o->cols, n_pes,
           n_pes == 1 ? "" : "s", parallel->sweeps, parallel->residual, parallel->seconds);
    fflush(stdout);
    set_edges(alone.cell, 0, o->rows, o);
    struct result serial = solve(&alone, o, NULL);
    printf("serial: %ld sweeps, residual %.3e, %.2f s\n", serial.sweeps, serial.residual, serial.seconds);

    double most = 0;
    for (size_t i = 0; i < cells; i++)
        most = fmax(most, fabs(plate[i] - alone.cell[i]));
    struct block whole = {0, o->rows, o->cols, plate};
    double left = residual(&whole);
    int code = 0;
    bool same = most == 0 && parallel->sweeps == serial.sweeps && parallel->residual == serial.residual;
    if (!same || left != serial.residual) {
        printf("WRONG: differs from the serial solution by up to %.3e, residual of the plate %.3e\n", most, left);
        code = 1;
    } else if (left > o->tolerance) {
        printf("NOT CONVERGED: the same as the serial solution, but after %ld sweeps the residual is above %.1e\n",
               parallel->sweeps, o->tolerance);
        code = 1;
    } else {
        printf("ok: the same as the serial solution at every point, residual within %.1e\n", o->tolerance);
    }

    if (o->picture) {
        if (draw(o->picture, plate, o)) {
            fprintf(stderr, "heat2d: cannot write %s: %s\n", o->picture, strerror(errno));
            code = 1;
        } else {
            printf("picture: %s\n", o->picture);
        }
    }
    free(plate);
    free(alone.cell);
    return code;
}

/* ---- Command line. -------------------------------------------------------------------------------------------- */

/* Reads the options; false if they are wrong. */
static bool read_options(int argc, char **argv, struct options *o)
{
    enum { MOST_POINTS = 1 << 20 };
    int option;
    opterr = 0; /* every PE reads the arguments, one reports errors */
    while ((option = getopt(argc, argv, "n:t:w:i:o:")) != -1) {
        char *after = NULL;
        switch (option) {
        case 'n':
            o->rows = strtol(optarg, &after, 10);
            o->cols = *after == 'x' ? strtol(after + 1, &after, 10) : 0;
            break;
        case 't': o->tolerance = strtod(optarg, &after); break;
        case 'w': o->omega = strtod(optarg, &after); break;
        case 'i': o->max_sweeps = strtol(optarg, &after, 10); break;
        case 'o': o->picture = optarg; break;
        default: return false;
        }
        if (after && (after == optarg || *after))
            return false;
    }
    if (optind < argc || o->rows < 1 || o->rows > MOST_POINTS || o->cols < 1 || o->cols > MOST_POINTS)
        return false;
    if (o->omega == 0) {
        double rho = (cos(pi / (double)(o->rows + 1)) + cos(pi / (double)(o->cols + 1))) / 2;
        o->omega = 2 / (1 + sqrt(1 - rho * rho));
    }
    return o->tolerance > 0 && o->omega > 0 && o->omega < 2 && o->max_sweeps >= 1;
}

int main(int argc, char **argv)
{
    struct options o = {1024, 1024, 1e-6, 0, 1000000, NULL};
    bool good = read_options(argc, argv, &o);

    shmem_init();
    if (!good) {
        if (shmem_my_pe() == 0)
            fprintf(stderr, "heat2d: %s\n", usage);
        shmem_finalize();
        return 2;
    }

    struct place place = find_place(o.rows);
    struct block b = {0, 0, o.cols, NULL};
    rows_of(place.me, place.n_pes, o.rows, &b.first, &b.rows);

    /* Symmetric memory has the same size on every PE: the size that PE 0 needs, which has the most rows. */
    long first, most;
    rows_of(0, place.n_pes, o.rows, &first, &most);
    size_t bytes = (size_t)(most + 2) * (size_t)(o.cols + 2) * sizeof(double);
    b.cell = shmem_malloc(bytes);
    if (!b.cell) {
        if (place.me == 0)
            fprintf(stderr,
                    "heat2d: the symmetric heap is too small for %ld x %ld points; raise SHMEM_SYMMETRIC_SIZE\n",
                    o.rows, o.cols);
        shmem_finalize();
        return 1;
    }
    set_edges(b.cell, b.first, b.rows, &o);
    shmem_barrier_all(); /* all halos are set before the first put into one */

    struct result r = solve(&b, &o, &place);
    int code = place.me == 0 ? report(b.cell, &o, &r, place.n_pes) : 0;

    shmem_barrier_all(); /* PE 0 has read what it needs */
    shmem_free(b.cell);
    shmem_finalize();
    return code;
}
