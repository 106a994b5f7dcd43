/* osh_perf --transports: runs osh_perf over each value of OSHMPI_TRANSPORT, in a job of its own, by the launcher line
 * that is given. Shows what the calls take beside each other, and writes the site's file with the best value. */
#include "transports.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {"ucx", "ofi", "mpi", "rma"};
enum { NAMES = sizeof names / sizeof *names, ROWS = 64, TEXT = 1 << 16, WORDS = 256, PATH = 4096 };

#define SETTING "OSHMPI_TRANSPORT="
#define COMMENT "# osh_perf --transports"

/* A call: by each transport that works, in the same order. */
typedef struct {
    char call[32];
    size_t bytes;
    double micros[NAMES];
} Row;

static Row rows[ROWS];
static int calls;              /* rows that are used */
static char why[NAMES][PATH];  /* a transport does not work; empty: it does */

/* What a file has from its beginning on. */
static void read_text(FILE *file, char text[TEXT])
{
    rewind(file);
    text[fread(text, 1, TEXT - 1, file)] = 0;
}

/* The line of a job that tells why it failed: the library's, else the first one. */
static void reason(const char *errors, int status, char to[PATH])
{
    const char *line = strstr(errors, "oshmpi[");
    if (!line)
        line = errors + strspn(errors, "\n ");
    if (*line)
        snprintf(to, PATH, "%.*s", (int)strcspn(line, "\n"), line);
    else if (WIFEXITED(status))
        snprintf(to, PATH, "the launcher ends with %d, and says nothing", WEXITSTATUS(status));
    else
        snprintf(to, PATH, "the launcher is killed by signal %d", WTERMSIG(status));
}

/* Waits for a job, and ends it after so many seconds. */
static int wait_for(pid_t job, double limit)
{
    int status;
    for (double waited = 0; waitpid(job, &status, WNOHANG) == 0; waited += 0.05) {
        if (waited > limit)
            kill(job, waited > limit + 10 ? SIGKILL : SIGTERM); /* launchers end their processes at SIGTERM */
        poll(NULL, 0, 50);
    }
    return status;
}

/* The file of this program. */
static void own_path(char to[PATH])
{
    ssize_t len = readlink("/proc/self/exe", to, PATH - 64);
    to[len < 0 ? 0 : len] = 0;
}

/* Runs a job over a transport; 1: it has ended well. Its streams are in the two files. */
static int run(int which, double seconds, char **words, FILE *out, FILE *errors)
{
    char setting[64], duration[64], self[PATH], text[TEXT];
    char *line[WORDS];
    int n = 0;
    own_path(self);
    snprintf(setting, sizeof setting, SETTING "%s", names[which]);
    snprintf(duration, sizeof duration, "%g", seconds);
    char *tail[] = {"env", setting, self, "--json", "--seconds", duration, NULL};
    for (; *words && n < WORDS - 8; words++)
        line[n++] = *words;
    memcpy(line + n, tail, sizeof tail);
    fflush(stdout);
    pid_t job = fork();
    if (job == 0) {
        dup2(fileno(out), 1), dup2(fileno(errors), 2);
        execvp(line[0], line);
        fprintf(stderr, "%s cannot be started: %s\n", line[0], strerror(errno));
        _exit(127);
    }
    int status = job < 0 ? -1 : wait_for(job, 60 + 5 * seconds);
    if (status == 0)
        return 1;
    read_text(errors, text);
    reason(text, status, why[which]);
    return 0;
}

/* Takes the rows of a job. 0: all its PEs are on one node. */
static int take(int which, FILE *out)
{
    char line[1024];
    int pes = 0, here = 0;
    rewind(out);
    for (calls = 0; fgets(line, sizeof line, out);) {
        const char *head = strstr(line, "\"pes\": ");
        Row *row = &rows[calls];
        if (head)
            sscanf(head, "\"pes\": %d, \"pes_on_first_node\": %d", &pes, &here);
        else if (calls < ROWS && sscanf(line, " {\"call\": \"%31[^\"]\", \"bytes\": %zu, \"median_us\": %lf", row->call,
                                        &row->bytes, &row->micros[which]) == 3)
            calls++;
    }
    if (calls == 0)
        snprintf(why[which], PATH, "the launcher's standard output has no figures");
    return pes == 0 || pes != here;
}

/* Prints the table; gives the best transport, or -1, and the mean factors by which each takes longer than the best one
 * of each call. */
static int show(double factors[NAMES])
{
    int best = -1;
    printf("\n%-22s %9s", "median us of a call", "bytes");
    for (int t = 0; t < NAMES; t++)
        if (!why[t][0])
            printf(" %10s", names[t]);
    printf("  best\n");
    for (int r = 0; r < calls; r++) {
        int first = -1;
        printf("%-22s %9zu", rows[r].call, rows[r].bytes);
        for (int t = 0; t < NAMES; t++) {
            if (why[t][0])
                continue;
            printf(" %10.3f", rows[r].micros[t]);
            if (first < 0 || rows[r].micros[t] < rows[r].micros[first])
                first = t;
        }
        printf("  %s\n", first < 0 ? "" : names[first]);
        for (int t = 0; first >= 0 && t < NAMES; t++)
            factors[t] += log(rows[r].micros[t] / rows[r].micros[first]) / calls;
    }
    printf("%-32s", "mean, as a factor of the best");
    for (int t = 0; t < NAMES; t++) {
        if (why[t][0])
            continue;
        factors[t] = exp(factors[t]);
        printf(" %10.2f", factors[t]);
        if (best < 0 || factors[t] < factors[best])
            best = t;
    }
    printf("\n");
    return best;
}

/* Writes the site's file anew: what is in it stays, but for the transport. */
static int write_site(const char *file, int best, const double factors[NAMES])
{
    char temporary[PATH + 8], directory[PATH], line[TEXT], host[256] = "?", date[32];
    time_t now = time(NULL);
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    snprintf(directory, sizeof directory, "%s", file);
    char *slash = strrchr(directory, '/');
    if (slash && slash != directory) {
        *slash = 0;
        mkdir(directory, 0755); /* it may be there; if it cannot be made, neither can the file */
    }
    snprintf(temporary, sizeof temporary, "%s.new", file);
    FILE *old = fopen(file, "r");
    if (!old && errno != ENOENT) { /* its other settings would be lost */
        fprintf(stderr, "osh_perf: cannot read %s: %s\n", file, strerror(errno));
        return 1;
    }
    FILE *new = fopen(temporary, "w");
    while (new && old && fgets(line, sizeof line, old)) {
        const char *begin = line + strspn(line, " \t");
        size_t name = strlen(SETTING) - 1;
        int is_ours = strncmp(begin, COMMENT, strlen(COMMENT)) == 0 ||
                      (strncmp(begin, SETTING, name) == 0 && strchr(" \t=", begin[name]));
        if (is_ours)
            continue;
        fputs(line, new);
        if (feof(old) && !strchr(line, '\n')) /* the last line of a file that somebody has written */
            fputc('\n', new);
    }
    if (new) {
        fprintf(new, COMMENT ", %s, %s:", host, date);
        for (int t = 0; t < NAMES; t++)
            if (!why[t][0])
                fprintf(new, " %s %.2f", names[t], factors[t]);
        fprintf(new, "\n" SETTING "%s\n", names[best]);
    }
    int is_read = !old || !ferror(old);
    if (old)
        fclose(old);
    if (!new || fclose(new) != 0 || !is_read || chmod(temporary, 0644) != 0 || rename(temporary, file) != 0) {
        fprintf(stderr, "osh_perf: cannot write %s: %s; its line would be " SETTING "%s\n", file, strerror(errno),
                names[best]);
        return 1;
    }
    printf(SETTING "%s is in %s, for all jobs of this installation\n", names[best], file);
    return 0;
}

/* The site's file of the installation in which this program is. */
static void place(char to[PATH])
{
    own_path(to);
    for (int i = 0; i < 2 && strrchr(to, '/'); i++)
        *strrchr(to, '/') = 0;
    strcat(to, "/etc/oshmpi.conf");
}

int transports(const char *file, double seconds, char **launcher)
{
    char own[PATH];
    double factors[NAMES] = {0};
    signal(SIGCHLD, SIG_DFL); /* where a starter has it ignored, waitpid would not tell how a job ended */
    if (!file)
        place(own), file = own;
    for (int t = 0; t < NAMES; t++) {
        FILE *out = tmpfile(), *errors = tmpfile();
        if (!out || !errors) {
            perror("osh_perf: no temporary file");
            return 1;
        }
        printf("%s: ", names[t]), fflush(stdout);
        if (run(t, seconds, launcher, out, errors) && !take(t, out)) {
            printf("\n");
            fprintf(stderr, "osh_perf: all PEs are on one node: name two hosts in the launcher's options\n");
            return 1;
        }
        printf("%s\n", why[t][0] ? why[t] : "measured");
        fclose(out), fclose(errors);
    }
    int best = show(factors);
    if (best < 0) {
        fprintf(stderr, "osh_perf: no transport works: is the launcher's line right?\n");
        return 1;
    }
    return write_site(file, best, factors);
}
