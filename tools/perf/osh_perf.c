/* osh_perf: what the calls of this installation take, in a table for people or as JSON. The page osh_perf(1) of the
 * manual describes it.
 *
 * Operations on one PE go from PE 0 to the last PE, which is on another node if the job has several. Each line is
 * measured in BATCHES batches of as many calls as PE 0 finds to take the time of a batch. */
#include "transports.h"

#include <shmem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { BATCHES = 7, LARGEST = 1 << 20, MOST_CALLS = 1 << 20 };

static int me, n, last;
static char *there, *here; /* symmetric: LARGEST bytes, and for collectives a block for each PE */
static long counter;       /* symmetric, as all static variables are */
static uint64_t signal_word;
static long calls, everybodys_calls;

/* What is measured. */
typedef struct {
    const char *name;
    size_t bytes;        /* of one call, 0 where it moves none */
    int all;             /* every PE calls it, otherwise PE 0 alone */
    void (*call)(size_t bytes, long times);
} Line;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#define REPEAT for (long i = 0; i < times; i++)

static void put(size_t bytes, long times)
{
    REPEAT
    {
        shmem_putmem(there, here, bytes, last);
        shmem_quiet();
    }
}

static void puts_in_a_row(size_t bytes, long times)
{
    REPEAT shmem_putmem_nbi(there, here, bytes, last);
    shmem_quiet();
}

static void get(size_t bytes, long times)
{
    REPEAT shmem_getmem(here, there, bytes, last);
}

static void fetch_add(size_t bytes, long times)
{
    (void)bytes;
    REPEAT (void)shmem_long_atomic_fetch_add(&counter, 1, last);
}

static void add(size_t bytes, long times)
{
    (void)bytes;
    REPEAT shmem_long_atomic_add(&counter, 1, last);
    shmem_quiet();
}

/* There and back: a call is half of it. */
static void signal_to_last(size_t bytes, long times)
{
    static uint64_t sent; /* by both; the other PE may write to signal_word before this one begins */
    if (n == 1 || (me != 0 && me != last))
        return;
    REPEAT
    {
        int second = i % 2; /* who sends */
        if ((me == last) == second)
            shmem_putmem_signal(there, here, bytes, &signal_word, ++sent, SHMEM_SIGNAL_SET, second ? 0 : last);
        else
            shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, ++sent);
    }
}

static void barrier(size_t bytes, long times)
{
    (void)bytes;
    REPEAT shmem_barrier_all();
}

static void broadcast(size_t bytes, long times)
{
    REPEAT shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, bytes, 0);
}

static void reduce(size_t bytes, long times)
{
    REPEAT shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double *)there, (double *)here, bytes / sizeof(double));
}

static void fcollect(size_t bytes, long times)
{
    REPEAT shmem_fcollectmem(SHMEM_TEAM_WORLD, there, here, bytes);
}

static void alltoall(size_t bytes, long times)
{
    REPEAT shmem_alltoallmem(SHMEM_TEAM_WORLD, there, here, bytes);
}

static const Line lines[] = {
    {"put + quiet", 8, 0, put},
    {"put + quiet", 65536, 0, put},
    {"put + quiet", LARGEST, 0, put},
    {"puts in a row", 8, 0, puts_in_a_row},
    {"puts in a row", 65536, 0, puts_in_a_row},
    {"get", 8, 0, get},
    {"get", 65536, 0, get},
    {"get", LARGEST, 0, get},
    {"atomic fetch-add", 0, 0, fetch_add},
    {"atomic adds in a row", 0, 0, add},
    {"put with signal", 8, 1, signal_to_last},
    {"barrier_all", 0, 1, barrier},
    {"broadcast", 8, 1, broadcast},
    {"broadcast", 65536, 1, broadcast},
    {"sum reduction", 8, 1, reduce},
    {"sum reduction", 65536, 1, reduce},
    {"fcollect", 8, 1, fcollect},
    {"fcollect", 4096, 1, fcollect},
    {"alltoall", 8, 1, alltoall},
    {"alltoall", 4096, 1, alltoall},
};
enum { LINES = sizeof lines / sizeof *lines };

/* Seconds of so many calls, on PE 0. */
static double timed(const Line *line, long times)
{
    shmem_barrier_all();
    double begun = now();
    if (line->all || me == 0)
        line->call(line->bytes, times);
    double took = now() - begun;
    shmem_barrier_all();
    return took;
}

/* All PEs learn PE 0's number of calls. */
static long agreed(long wanted)
{
    calls = wanted;
    shmem_barrier_all();
    shmem_broadcastmem(SHMEM_TEAM_WORLD, &everybodys_calls, &calls, sizeof calls, 0);
    shmem_barrier_all();
    return everybodys_calls;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* An even number of calls, for signals there and back. */
static long even(double times)
{
    return times > MOST_CALLS ? MOST_CALLS : times < 2 ? 2 : (long)(times / 2) * 2;
}

/* Microseconds of one call in the batches, ascending; on PE 0. */
static void measure(const Line *line, double seconds, double micros[BATCHES])
{
    long times = 2, next;
    do {
        double took = timed(line, times);
        int enough = took > 0.1 * seconds || 4 * times > MOST_CALLS;
        /* A negative number is the last one. */
        next = agreed(enough ? -even((double)times * seconds / (took > 1e-9 ? took : 1e-9)) : 4 * times);
        times = labs(next);
    } while (next > 0);
    for (int i = 0; i < BATCHES; i++)
        micros[i] = timed(line, times) * 1e6 / (double)times;
    qsort(micros, BATCHES, sizeof *micros, by_size);
}

/* Text as JSON has it. */
static void quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 32)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

/* A variable that changes what the library does. */
static int is_setting(const char *variable)
{
    return strncmp(variable, "OSHMPI_", 7) == 0 || strncmp(variable, "SHMEM_", 6) == 0 ||
           strncmp(variable, "SMA_", 4) == 0;
}

static void head(int json, int on_node)
{
    char name[SHMEM_MAX_NAME_LEN], host[256] = "?", date[32];
    int major, minor;
    time_t seconds = time(NULL);
    shmem_info_get_name(name);
    shmem_info_get_version(&major, &minor);
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", localtime(&seconds));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (json) {
        printf("{\"library\": ");
        quoted(name);
        printf(", \"openshmem\": \"%d.%d\", \"host\": ", major, minor);
        quoted(host);
        printf(", \"date\": \"%s\", \"pes\": %d, \"pes_on_first_node\": %d, \"cores\": %ld, \"settings\": [", date, n,
               on_node, cores);
    } else {
        printf("%s, OpenSHMEM %d.%d\n", name, major, minor);
        printf("%s, %s: %d PEs, %d of them on this node, which has %ld cores\n", date, host, n, on_node, cores);
    }
    const char *between = "";
    for (char **variable = environ; *variable; variable++) {
        if (!is_setting(*variable))
            continue;
        if (json) {
            printf("%s", between);
            quoted(*variable);
            between = ", ";
        } else {
            printf("%s\n", *variable);
        }
    }
    if (json)
        printf("],\n \"results\": [");
    else
        printf("\n%-22s %9s %12s %12s %10s\n", "call", "bytes", "median us", "best us", "MB/s");
}

static void result(int json, int first, const Line *line, const double micros[BATCHES])
{
    double median = micros[BATCHES / 2], best = micros[0];
    if (json) {
        printf("%s\n  {\"call\": \"%s\", \"bytes\": %zu, \"median_us\": %.4f, \"best_us\": %.4f}", first ? "" : ",",
               line->name, line->bytes, median, best);
        return;
    }
    printf("%-22s %9zu %12.3f %12.3f", line->name, line->bytes, median, best);
    if (line->bytes >= 4096 && !line->all)
        printf(" %10.0f", (double)line->bytes / median);
    printf("\n");
    fflush(stdout);
}

static int usage(FILE *to, int code)
{
    shmem_init();
    if (shmem_my_pe() == 0)
        fprintf(to,
                "usage: oshrun -n 2 osh_perf [--json] [--seconds S]\n"
                "       osh_perf --transports [FILE] [--seconds S] -- mpiexec -hosts a,b -n 2\n"
                "  --json        the results as JSON\n"
                "  --seconds S   a run takes about S seconds (default 20)\n"
                "  --transports  compares the values of OSHMPI_TRANSPORT, in jobs that the launcher behind -- starts,\n"
                "                and writes the best into the site's file (or FILE)\n");
    shmem_finalize();
    return code;
}

int main(int argc, char **argv)
{
    int json = 0, compare = 0;
    double seconds = 20;
    const char *file = NULL;
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        if (strcmp(argv[i], "--json") == 0)
            json = 1;
        else if (strcmp(argv[i], "--transports") == 0)
            compare = 1;
        else if (strcmp(argv[i], "--help") == 0)
            return usage(stdout, 0);
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc && (seconds = strtod(argv[++i], &end)) > 0 && !*end)
            ;
        else if (compare && strcmp(argv[i], "--") == 0 && i + 1 < argc)
            return transports(file, seconds, argv + i + 1);
        else if (compare && argv[i][0] != '-' && !file)
            file = argv[i];
        else
            return usage(stderr, 2);
    }
    if (compare)
        return usage(stderr, 2);
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    last = n - 1;
    size_t blocks = (size_t)4096 * (size_t)n;
    size_t room = blocks > LARGEST ? blocks : LARGEST;
    there = shmem_calloc(room, 1);
    here = shmem_calloc(room, 1);
    if (!there || !here) {
        if (me == 0)
            fprintf(stderr, "osh_perf: needs a heap of %zu bytes: raise SHMEM_SYMMETRIC_SIZE\n", 2 * room);
        shmem_global_exit(1);
    }
    if (me == 0)
        head(json, shmem_team_n_pes(SHMEM_TEAM_SHARED));
    for (int i = 0, first = 1; i < LINES; i++) {
        double micros[BATCHES];
        if (n == 1 && lines[i].call == signal_to_last)
            continue;
        /* A batch gets as much as all other batches. */
        measure(&lines[i], seconds / (LINES * (BATCHES + 1)), micros);
        if (me == 0)
            result(json, first, &lines[i], micros);
        first = 0;
    }
    if (me == 0 && json)
        printf("\n ]}\n");
    shmem_free(here);
    shmem_free(there);
    shmem_finalize();
    return 0;
}
