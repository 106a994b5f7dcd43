/* The temperature of a metal plate whose edges are held at given temperatures.
 *
 * The plate is a grid of ROWS x COLS points. In the end every point has the mean temperature of its four neighbours;
 * we sweep over the plate until that is so within a tolerance. Three methods:
 *
 *     jacobi   every point becomes the mean of its neighbours as they were before the sweep
 *     gs       Gauss-Seidel: the neighbours as they are now. The points are coloured like a chessboard, first all
 *              red ones are computed, then all black ones: so the result does not depend on the number of PEs
 *     sor      successive over-relaxation: like gs, but each step is OMEGA times as long
 *
 * Every PE owns a block of rows and keeps a copy of the row above and of the row below it: its halo. After a sweep it
 * puts its outer rows into its neighbours' halos. At the end PE 0 solves the same problem alone and compares.
 *
 *     oshcc -O2 heat2d.c -o heat2d -lm && oshrun -n 4 ./heat2d -o heat2d.ppm
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum method { JACOBI, GS, SOR };

struct options {
    long rows, cols;
    enum method method;
    double tolerance; /* degrees: how far a point may be from the mean of its neighbours */
    double omega;     /* 0: the best one for a plate of this size */
    long max_sweeps;
    const char *picture; /* file name, or NULL */
};

/* Sweeps between two computations of the residual, each of which costs a barrier. */
enum { LOOK = 16 };
static const double pi = 3.14159265358979323846;
static const char usage[] =
    "usage: heat2d [-n ROWSxCOLS] [-m jacobi|gs|sor] [-t TOLERANCE] [-w OMEGA] [-i MAX_SWEEPS] [-o FILE.ppm]";

/* ---- The numerical part: knows nothing of PEs. -------------------------------------------------------------- */

/* Some consecutive rows of the plate. cell[0] is the row above the first one, cell[rows + 1] the one below the last
 * one; every row has an edge point on the left and on the right. */
struct block {
    long first, rows, cols;
    double *cell;
    double *next; /* jacobi: the sweep's result, exchanged with cell after it */
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

static void sweep_jacobi(struct block *b)
{
    for (long r = 1; r <= b->rows; r++) {
        const double *up = row(b->cell, b->cols, r - 1), *at = row(b->cell, b->cols, r),
                     *down = row(b->cell, b->cols, r + 1);
        double *to = row(b->next, b->cols, r);
        for (long c = 1; c <= b->cols; c++)
            to[c] = 0.25 * (up[c] + down[c] + at[c - 1] + at[c + 1]);
    }
    double *old = b->cell;
    b->cell = b->next;
    b->next = old;
}

/* The column of the first point of a colour in row r of the block. */
static long first_of(const struct block *b, long r, int colour)
{
    return 1 + ((b->first + r + colour) & 1);
}

static void sweep_colour(struct block *b, int colour, double omega)
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

/* Puts our outer rows into the neighbours' halos and waits until all PEs have done so. */
static void exchange_rows(const struct block *b, const struct place *p)
{
    size_t n = (size_t)b->cols;
    if (p->above >= 0)
        shmem_double_put(row(b->cell, b->cols, p->rows_above + 1) + 1, row(b->cell, b->cols, 1) + 1, n, p->above);
    if (p->below >= 0)
        shmem_double_put(row(b->cell, b->cols, 0) + 1, row(b->cell, b->cols, b->rows) + 1, n, p->below);
    shmem_barrier_all();
}

/* Exchanges the points of one colour: every second one, because a neighbour may still read the others. */
static void exchange_colour(const struct block *b, const struct place *p, int colour)
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

/* The largest value of all PEs. Values are not negative: then doubles are in the order of their bit patterns, and an
 * atomic compare-and-swap on PE 0's word can raise it.
 *
 * Three words in turn: while this one is raised, the next one is cleared, and a slow PE may still read the last one. */
static unsigned long long raised[3];

static double largest_of_all(double mine, int looks, int me)
{
    unsigned long long *word = &raised[looks % 3], bits, seen;
    memcpy(&bits, &mine, sizeof bits);
    if (me == 0)
        shmem_ulonglong_atomic_set(&raised[(looks + 1) % 3], 0, 0);
    for (seen = shmem_ulonglong_atomic_fetch(word, 0); seen < bits;) {
        unsigned long long found = shmem_ulonglong_atomic_compare_swap(word, seen, bits, 0);
        if (found == seen)
            break;
        seen = found;
    }
    shmem_barrier_all();
    bits = shmem_ulonglong_atomic_fetch(word, 0);
    memcpy(&mine, &bits, sizeof bits);
    return mine;
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

/* Sweeps until the residual is within the tolerance. place: our place among the PEs, or NULL to work alone. */
static struct result solve(struct block *b, const struct options *o, const struct place *place)
{
    struct result r = {0, 0, 0};
    const char *who = place ? "" : " (serial)";
    bool shows = !place || place->me == 0;
    double start = now();
    int looks = 0;
    do {
        if (o->method == JACOBI) {
            sweep_jacobi(b);
            if (place)
                exchange_rows(b, place);
        } else {
            for (int colour = 0; colour < 2; colour++) {
                sweep_colour(b, colour, o->omega);
                if (place)
                    exchange_colour(b, place, colour);
            }
        }
        r.sweeps++;
        if (r.sweeps % LOOK && r.sweeps < o->max_sweeps)
            continue;
        r.residual = residual(b);
        if (place)
            r.residual = largest_of_all(r.residual, looks++, place->me);
        if (shows)
            progress(&r, start, who, false);
        if (r.residual <= o->tolerance)
            break;
    } while (r.sweeps < o->max_sweeps);
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

static const char *method_name(enum method m)
{
    return m == JACOBI ? "jacobi" : m == GS ? "gs" : "sor";
}

/* Prints the result, compares it with a solution by one PE alone, draws it. Returns the program's exit code. */
static int report(const double *remote, const struct options *o, const struct result *parallel, int n_pes)
{
    size_t cells = (size_t)(o->rows + 2) * (size_t)(o->cols + 2);
    struct block alone = {0, o->rows, o->cols, malloc(cells * sizeof(double)), malloc(cells * sizeof(double))};
    double *plate = malloc(cells * sizeof(double));
    if (!alone.cell || !alone.next || !plate) {
        fprintf(stderr, "heat2d: no memory for a serial solution of %ld x %ld points\n", o->rows, o->cols);
        return 1;
    }
    set_edges(plate, 0, o->rows, o);
    gather(plate, remote, o, n_pes);

    printf("%s on %ld x %ld points, %d PE%s: %ld sweeps, residual %.3e, %.2f s\n", method_name(o->method), o->rows,
           o->cols, n_pes, n_pes == 1 ? "" : "s", parallel->sweeps, parallel->residual, parallel->seconds);
    fflush(stdout);
    set_edges(alone.cell, 0, o->rows, o);
    set_edges(alone.next, 0, o->rows, o);
    struct result serial = solve(&alone, o, NULL);
    printf("serial: %ld sweeps, residual %.3e, %.2f s\n", serial.sweeps, serial.residual, serial.seconds);

    double most = 0;
    for (size_t i = 0; i < cells; i++)
        most = fmax(most, fabs(plate[i] - alone.cell[i]));
    struct block whole = {0, o->rows, o->cols, plate, NULL};
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
    free(alone.next);
    return code;
}

/* ---- Command line. -------------------------------------------------------------------------------------------- */

/* Why the arguments were refused. */
static char complaint[256];

static bool refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(complaint, sizeof complaint, format, args);
    va_end(args);
    return false;
}

/* A whole number from 1 to most, ended by the character `end`. Returns where it ends, or NULL. */
static const char *read_count(const char *text, char end, long most, long *value)
{
    char *after;
    errno = 0;
    *value = strtol(text, &after, 10);
    bool good = *text >= '0' && *text <= '9' && *after == end && !errno && *value >= 1 && *value <= most;
    return good ? after : NULL;
}

static bool read_number(const char *text, double *value)
{
    char *after;
    *value = strtod(text, &after);
    return after != text && !*after && isfinite(*value);
}

static bool read_method(const char *text, enum method *m)
{
    for (*m = JACOBI; *m <= SOR; (*m)++)
        if (strcmp(text, method_name(*m)) == 0)
            return true;
    return false;
}

static bool read_option(int option, const char *arg, struct options *o)
{
    enum { MOST_POINTS = 1 << 20 };
    const char *x;
    switch (option) {
    case 'n':
        x = read_count(arg, 'x', MOST_POINTS, &o->rows);
        if (!x || !read_count(x + 1, '\0', MOST_POINTS, &o->cols))
            return refuse("-n %s: expected ROWSxCOLS such as 512x512", arg);
        return true;
    case 'm':
        return read_method(arg, &o->method) || refuse("-m %s: expected jacobi, gs or sor", arg);
    case 't':
        return (read_number(arg, &o->tolerance) && o->tolerance > 0) ||
               refuse("-t %s: expected a tolerance above 0 such as 1e-4", arg);
    case 'w':
        return (read_number(arg, &o->omega) && o->omega > 0 && o->omega < 2) ||
               refuse("-w %s: expected an omega between 0 and 2", arg);
    case 'i':
        return read_count(arg, '\0', 1000000000, &o->max_sweeps) || refuse("-i %s: expected a number of sweeps", arg);
    case 'o':
        o->picture = arg;
        return true;
    default:
        return refuse("%s", usage);
    }
}

static bool read_options(int argc, char **argv, struct options *o)
{
    int option;
    opterr = 0; /* every PE reads the arguments, one reports errors */
    while ((option = getopt(argc, argv, "n:m:t:w:i:o:")) != -1)
        if (!read_option(option, optarg, o))
            return false;
    if (optind < argc)
        return refuse("%s: unexpected argument; %s", argv[optind], usage);
    if (o->method != SOR && o->omega != 0)
        return refuse("-w goes with -m sor only");
    if (o->method == SOR && o->omega == 0) {
        double rho = (cos(pi / (double)(o->rows + 1)) + cos(pi / (double)(o->cols + 1))) / 2;
        o->omega = 2 / (1 + sqrt(1 - rho * rho));
    }
    if (o->method == GS)
        o->omega = 1;
    return true;
}

int main(int argc, char **argv)
{
    struct options o = {1024, 1024, SOR, 1e-6, 0, 1000000, NULL};
    bool good = read_options(argc, argv, &o);

    shmem_init();
    if (!good) {
        if (shmem_my_pe() == 0)
            fprintf(stderr, "heat2d: %s\n", complaint);
        shmem_finalize();
        return 2;
    }

    struct place place = find_place(o.rows);
    struct block b = {0, 0, o.cols, NULL, NULL};
    rows_of(place.me, place.n_pes, o.rows, &b.first, &b.rows);

    /* Symmetric memory has the same size on every PE: the size that PE 0 needs, which has the most rows. */
    long first, most;
    rows_of(0, place.n_pes, o.rows, &first, &most);
    size_t bytes = (size_t)(most + 2) * (size_t)(o.cols + 2) * sizeof(double);
    b.cell = shmem_malloc(bytes);
    b.next = o.method == JACOBI ? shmem_malloc(bytes) : NULL;
    if (!b.cell || (o.method == JACOBI && !b.next)) {
        if (place.me == 0)
            fprintf(stderr,
                    "heat2d: the symmetric heap is too small for %ld x %ld points; raise SHMEM_SYMMETRIC_SIZE\n",
                    o.rows, o.cols);
        shmem_finalize();
        return 1;
    }
    set_edges(b.cell, b.first, b.rows, &o);
    if (b.next)
        set_edges(b.next, b.first, b.rows, &o);
    shmem_barrier_all(); /* all halos are set before the first put into one */

    struct result r = solve(&b, &o, &place);
    int code = place.me == 0 ? report(b.cell, &o, &r, place.n_pes) : 0;

    shmem_barrier_all(); /* PE 0 has read what it needs */
    shmem_free(b.cell);
    if (b.next)
        shmem_free(b.next);
    shmem_finalize();
    return code;
}
