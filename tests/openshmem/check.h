/* check.h: what every test program shares.
 *
 * A program calls t_init() (or its own initialiser and then t_begin()), checks with the CHECK macros and ends with
 * `return t_done();`. A check that fails prints one line with file, line, PE and values and goes on, so that all PEs
 * stay in step; t_done() adds up the failures of all PEs by AMO and PE 0 prints `ok` when there are none.
 *
 * Only routines of the chapters setup, memory, RMA, AMO and ordering are used here.
 * Define T_NO_STATICS before the include where static variables are not symmetric: then each PE reports through its
 * exit code alone.
 */
#ifndef T_CHECK_H
#define T_CHECK_H

#include <shmem.h>

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
#define T_TYPEOF(x) decltype(x)
#else
#define T_TYPEOF(x) __typeof__(x)
#endif
#define T_UNUSED __attribute__((unused))

/* Failures beyond this many are counted, not printed. */
enum { T_PRINT_MAX = 10 };

static int t_me = -1;            /* this PE, -1 outside of init..finalize */
static int t_npes = 0;
static long t_failures = 0;      /* of this PE */
static const char *t_what = "";  /* type or case at work; printed with each failure */
static __thread volatile int t_line = 0; /* last check this thread passed; printed when time is up */
#ifndef T_NO_STATICS
static long t_all_failures = 0;  /* on PE 0: of all PEs */
#endif

T_UNUSED static void t_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void t_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    char text[400];
    if (++t_failures > T_PRINT_MAX)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* One write, so that lines of several PEs do not mix. */
    fprintf(stderr, "%s:%d: PE %d: %s%s%s\n", file, line, t_me, t_what, *t_what ? ": " : "", text);
}

/* cond must hold. */
#define CHECK(cond)                                                       \
    do {                                                                  \
        t_line = __LINE__;                                                \
        if (!(cond))                                                      \
            t_fail(__FILE__, __LINE__, "not true: %s", #cond);            \
    } while (0)

/* Two integers (of at most 64 bits) must be equal. */
#define CHECK_EQ(got, want)                                                                                   \
    do {                                                                                                      \
        long long t_g = (long long)(got), t_w = (long long)(want);                                            \
        t_line = __LINE__;                                                                                    \
        if (t_g != t_w)                                                                                       \
            t_fail(__FILE__, __LINE__, "%s is %lld (0x%llx), expected %lld (0x%llx)", #got, t_g,              \
                   (unsigned long long)t_g, t_w, (unsigned long long)t_w);                                    \
    } while (0)

/* n integers must be equal to those wanted, each of which is told by its number i; the first that is not is named. */
#define CHECK_EACH(n, got, want)                             \
    for (long i = 0; i < (long)(n); i++)                     \
        if ((long long)(got) != (long long)(want)) {         \
            CHECK_EQ(got, want);                             \
            break;                                           \
        }

/* Two floating-point numbers must be equal. */
#define CHECK_FEQ(got, want)                                                                         \
    do {                                                                                             \
        long double t_g = (long double)(got), t_w = (long double)(want);                             \
        t_line = __LINE__;                                                                           \
        if (!(t_g == t_w))                                                                           \
            t_fail(__FILE__, __LINE__, "%s is %.20Lg, expected %.20Lg", #got, t_g, t_w);             \
    } while (0)

/* Two pointers must be equal. */
#define CHECK_PTR(got, want)                                                                         \
    do {                                                                                             \
        const void *t_g = (got), *t_w = (want);                                                      \
        t_line = __LINE__;                                                                           \
        if (t_g != t_w)                                                                              \
            t_fail(__FILE__, __LINE__, "%s is %p, expected %p", #got, t_g, t_w);                     \
    } while (0)

/* n bytes at got must equal those at want; the first difference is named. */
#define CHECK_BYTES(got, want, n) t_check_bytes(__FILE__, __LINE__, #got, (got), (want), (n))
T_UNUSED static void t_check_bytes(const char *file, int line, const char *name, const void *got, const void *want,
                                   size_t n)
{
    const unsigned char *g = (const unsigned char *)got, *w = (const unsigned char *)want;
    t_line = line;
    for (size_t i = 0; i < n; i++)
        if (g[i] != w[i]) {
            t_fail(file, line, "byte %zu of %zu of %s is 0x%02x, expected 0x%02x", i, n, name, g[i], w[i]);
            return;
        }
}

/* n bytes at got must all be `want`. */
#define CHECK_FILL(got, want, n) t_check_fill(__FILE__, __LINE__, #got, (got), (want), (n))
T_UNUSED static void t_check_fill(const char *file, int line, const char *name, const void *got, int want, size_t n)
{
    const unsigned char *g = (const unsigned char *)got;
    t_line = line;
    for (size_t i = 0; i < n; i++)
        if (g[i] != (unsigned char)want) {
            t_fail(file, line, "byte %zu of %zu of %s is 0x%02x, expected 0x%02x", i, n, name, g[i], want & 0xff);
            return;
        }
}

/* The function behind one that the program has in its place; with _GNU_SOURCE and dlfcn.h. */
#define T_NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

/* Ends the job at once: for a failure after which nothing makes sense. */
#define T_DIE(...)                                       \
    do {                                                 \
        t_fail(__FILE__, __LINE__, __VA_ARGS__);         \
        fflush(NULL);                                    \
        shmem_global_exit(1);                            \
    } while (0)

/* SIGALRM: says which PE hangs and after which line, then dies of the signal. */
static void t_on_alarm(int sig)
{
    char text[160];
    int n = snprintf(text, sizeof text, "%s: PE %d: time is up; the last check passed was in line %d\n", __FILE__,
                     t_me, t_line);
    if (n > 0 && write(2, text, (size_t)n) < 0)
        _exit(1);
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Starts the safety clock: the runner's limit for this program in seconds, else 60. */
T_UNUSED static void t_alarm(void)
{
    const char *limit = getenv("CTEST_TIME");
    signal(SIGALRM, t_on_alarm);
    alarm(limit ? (unsigned)atoi(limit) : 60u);
}

#ifdef T_SPACE
/* -DT_SPACE=KIND: what the program allocates lies in a space of this kind. */
#include <shmemx.h>
static shmemx_space_t t_space;
#define shmem_malloc(size) shmemx_space_malloc(t_space, size)
#define shmem_malloc_with_hints(size, hints) ((void)(hints), shmemx_space_malloc(t_space, size))
#define shmem_calloc(count, size) shmemx_space_calloc(t_space, count, size)
#define shmem_align(alignment, size) shmemx_space_align(t_space, alignment, size)
#endif

/* After the program's own initialiser. */
T_UNUSED static void t_begin(void)
{
    t_me = shmem_my_pe();
    t_npes = shmem_n_pes();
#ifdef T_SPACE
    const shmemx_space_config_t config = {(size_t)64 << 20, T_SPACE, 0, "/tmp"};
    if (shmemx_space_create(&config, SHMEM_TEAM_WORLD, &t_space))
        T_DIE("no space of kind %d", T_SPACE);
#endif
}

T_UNUSED static void t_init(void)
{
    t_alarm();
    shmem_init();
    t_begin();
}

/* With a thread level, which must be granted. */
#define t_init_thread(LEVEL)                                       \
    do {                                                           \
        int t_provided = -1;                                       \
        t_alarm();                                                 \
        CHECK_EQ(shmem_init_thread(LEVEL, &t_provided), 0);        \
        t_begin();                                                 \
        CHECK_EQ(t_provided, LEVEL);                               \
    } while (0)

/* Neighbours on a ring over all PEs; with one PE both are the PE itself. */
T_UNUSED static int t_right(void) { return (t_me + 1) % t_npes; }
T_UNUSED static int t_left(void) { return (t_me + t_npes - 1) % t_npes; }

/* All PEs agree on the number of failures; PE 0 prints the verdict. To be called before the last finalize;
 * returns the exit code. */
T_UNUSED static int t_agree(void)
{
#ifdef T_NO_STATICS
    shmem_barrier_all();
    if (t_me == 0 && t_failures == 0)
        puts("ok");
    return t_failures != 0;
#else
    long all;
    t_what = "";
    if (t_failures)
        shmem_long_atomic_add(&t_all_failures, t_failures, 0);
    shmem_barrier_all();
    all = shmem_long_atomic_fetch(&t_all_failures, 0);
    if (t_me == 0) {
        if (all == 0)
            puts("ok");
        else
            fprintf(stderr, "%ld checks failed\n", all);
    }
    return all != 0;
#endif
}

T_UNUSED static int t_done(void)
{
    int code = t_agree();
#ifdef T_SPACE
    shmemx_space_destroy(t_space);
#endif
    shmem_finalize();
    return code;
}

/* The PE's number as the launcher tells it, for use before init; -1: there is no launcher. */
T_UNUSED static int t_launched_as(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return -1;
}

/* How many descriptors are open, once they are at most `most`, or after a second: threads of the library have a file
 * open now and then. */
T_UNUSED static int t_open_files(int most)
{
    for (int ms = 0;; ms++) {
        int n = 0;
        for (int fd = 0; fd < 1024; fd++)
            n += fcntl(fd, F_GETFD) != -1;
        if (n <= most || ms == 1000)
            return n;
        usleep(1000);
    }
}

/* Symmetric memory or the end. */
T_UNUSED static void *t_malloc(size_t bytes)
{
    void *p = shmem_malloc(bytes);
    if (!p)
        T_DIE("shmem_malloc(%zu) gave null", bytes);
    return p;
}

/* Seconds from some fixed moment. */
T_UNUSED static double t_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until *flag is at least `value`, by reads of the PE's memory without a library call: nothing but the library's
 * progress can make it end. */
T_UNUSED static void t_spin(const volatile long *flag, long value)
{
    while (*flag < value)
        ;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Waits until *flag is at least `value`, by AMOs on this PE, and gives the core away meanwhile. */
T_UNUSED static void t_wait(long *flag, long value)
{
    while (shmem_long_atomic_fetch(flag, shmem_my_pe()) < value)
        usleep(50);
}

/* Runs `act` in n threads, each with its number in place of a pointer, and waits for their ends. */
T_UNUSED static void t_threads(int n, void *(*act)(void *))
{
    pthread_t *threads = (pthread_t *)calloc((size_t)n, sizeof *threads);
    for (int t = 0; t < n; t++)
        if (pthread_create(&threads[t], NULL, act, (void *)(intptr_t)t))
            T_DIE("no thread");
    for (int t = 0; t < n; t++)
        pthread_join(threads[t], NULL);
    free(threads);
}

/* Resident bytes of this process that are its own or mapped by it. */
T_UNUSED static long t_resident(void)
{
    long size, pages = -1;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &size, &pages) != 2)
        T_DIE("cannot read /proc/self/statm");
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* A repeatable pseudo-random sequence (xorshift); same seed, same numbers on every PE. */
T_UNUSED static uint64_t t_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* Byte i of pattern number k: neighbours, patterns and pages differ. */
T_UNUSED static unsigned char t_byte(size_t i, unsigned k)
{
    return (unsigned char)(i * 7 + (i >> 8) * 13 + (i >> 16) * 29 + k * 101 + 3);
}
T_UNUSED static void t_fill(void *p, size_t n, unsigned k)
{
    unsigned char *b = (unsigned char *)p;
    for (size_t i = 0; i < n; i++)
        b[i] = t_byte(i, k);
}
#define CHECK_PATTERN(got, n, k) t_check_pattern(__FILE__, __LINE__, #got, (got), (n), (k))
T_UNUSED static void t_check_pattern(const char *file, int line, const char *name, const void *got, size_t n,
                                     unsigned k)
{
    const unsigned char *g = (const unsigned char *)got;
    t_line = line;
    for (size_t i = 0; i < n; i++)
        if (g[i] != t_byte(i, k)) {
            t_fail(file, line, "byte %zu of %zu of %s is 0x%02x, expected 0x%02x of pattern %u", i, n, name, g[i],
                   t_byte(i, k), k);
            return;
        }
}

#endif
