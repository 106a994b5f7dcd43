/* The race detector and functions of the C library, and structs that are assigned: each case loads or stores
 * `racy_NAME` of PE 0 while PE 1 puts there or gets it, which is a race, and `ordered_NAME` with a barrier between.
 * Compilers have code of their own for many of these functions, other code at each level. Built with -oshmpi-race at
 * each of them. */

#define _GNU_SOURCE
#include "log.h"
#include <fcntl.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { BYTES = 1024, CASES = 400 };

static struct row {
    const char *name;
    void (*run)(void);
} rows[CASES];
static int count;
static unsigned char seen[2][CASES], seen_by_all[2][CASES];

static char other[BYTES], text[BYTES];
static volatile long sink;
static volatile size_t some = 33;
static int ends[2], zeros, null;
static volatile int value;
static FILE *out;

static void use(long value) { sink += value; }
#define USE(value) use((long)(value))

/* PE 1 puts what is there, or gets it. */
static void meanwhile(void *v, int puts)
{
    if (t_me == 1 && puts)
        shmem_putmem(v, text, BYTES, 0);
    else if (t_me == 1)
        shmem_getmem(other, v, BYTES, 0);
}

/* Something is done to the variable itself, and then by an address of which the compiler knows nothing. */
#define CASE(name, puts, ...)                                                             \
    static char racy_##name[BYTES] __attribute__((aligned(16)));                          \
    static char racy_##name##_at[BYTES] __attribute__((aligned(16)));                     \
    static char ordered_##name[BYTES] __attribute__((aligned(16)));                       \
    static void at_##name(char *v) { __VA_ARGS__; }                                       \
    static void (*volatile call_##name)(char *) = at_##name;                              \
    static void do_##name(void)                                                           \
    {                                                                                     \
        char *v = racy_##name;                                                            \
        memcpy(racy_##name, text, BYTES);                                                 \
        memcpy(racy_##name##_at, text, BYTES);                                            \
        memcpy(ordered_##name, text, BYTES);                                              \
        shmem_barrier_all();                                                              \
        meanwhile(v, puts);                                                               \
        meanwhile(racy_##name##_at, puts);                                                \
        meanwhile(ordered_##name, puts);                                                  \
        if (t_me == 0) {                                                                  \
            __VA_ARGS__;                                                                  \
            call_##name(racy_##name##_at);                                                \
        }                                                                                 \
        shmem_barrier_all();                                                              \
        if (t_me == 0)                                                                    \
            call_##name(ordered_##name);                                                  \
        shmem_barrier_all();                                                              \
    }                                                                                     \
    __attribute__((constructor)) static void add_##name(void)                             \
    {                                                                                     \
        rows[count++] = (struct row){#name, do_##name};                                   \
    }
#define LOADS(name, ...) CASE(name, 1, __VA_ARGS__)
#define STORES(name, ...) CASE(name, 0, __VA_ARGS__)

/* ---- memory */

static char mine[2 * BYTES];
#define BY_SIZE(bytes)                                                         \
    LOADS(memcpy_from_##bytes, memcpy(mine, v, bytes))                         \
    STORES(memcpy_to_##bytes, memcpy(v, text, bytes))                          \
    LOADS(memmove_from_##bytes, memmove(mine, v, bytes))                       \
    STORES(memmove_to_##bytes, memmove(v, text, bytes))                        \
    STORES(memset_##bytes, memset(v, value, bytes))                             \
    LOADS(memcmp_##bytes, USE(memcmp(v, text, bytes) == 0))
BY_SIZE(1)
BY_SIZE(8)
BY_SIZE(15)
BY_SIZE(16)
BY_SIZE(24)
BY_SIZE(128)
BY_SIZE(1000)
BY_SIZE(some)
STORES(memset_zero, memset(v, 0, 128))
LOADS(mempcpy_from, mempcpy(mine, v, 24))
STORES(mempcpy_to, mempcpy(v, text, 24))
LOADS(memccpy_from, memccpy(mine, v, 'd', 24))
STORES(memccpy_to, memccpy(v, text, 'd', 24))
LOADS(memcmp_second, USE(memcmp(text, v, 24)))
LOADS(bcmp, USE(bcmp(v, text, 24)))
LOADS(memchr, USE(memchr(v, 'd', 24)))
LOADS(memrchr, USE(memrchr(v, 'd', 24)))
LOADS(rawmemchr, USE(rawmemchr(v, 'd')))
LOADS(memmem, USE(memmem(v, 24, text + 2, 3)))
LOADS(memmem_what, USE(memmem(text, 24, v, 3)))
LOADS(bcopy_from, bcopy(v, mine, 24))
STORES(bcopy_to, bcopy(text, v, 24))
STORES(bzero, bzero(v, 24))
STORES(explicit_bzero, explicit_bzero(v, 24))
LOADS(builtin_memcpy_from, __builtin_memcpy(mine, v, 128))
STORES(builtin_memcpy_to, __builtin_memcpy(v, text, 128))
LOADS(builtin_memmove_from, __builtin_memmove(mine, v, 128))
STORES(builtin_memset, __builtin_memset(v, 0, 128))
LOADS(builtin_memcmp, USE(__builtin_memcmp(v, text, 8) == 0))
LOADS(builtin_strlen, USE(__builtin_strlen(v)))
LOADS(builtin_strcmp, USE(__builtin_strcmp(v, "ab") == 0))

/* ---- strings */

LOADS(strlen, USE(strlen(v)))
LOADS(strnlen, USE(strnlen(v, 24)))
LOADS(strcpy_from, strcpy(mine, v))
STORES(strcpy_to, strcpy(v, text))
STORES(strcpy_constant, strcpy(v, "a text"))
STORES(strcpy_long, strcpy(v, "a constant that is too long for one store or two"))
LOADS(stpcpy_from, USE(stpcpy(mine, v)))
STORES(stpcpy_to, USE(stpcpy(v, "a text")))
LOADS(strncpy_from, strncpy(mine, v, some))
STORES(strncpy_to, strncpy(v, text, some))
LOADS(stpncpy_from, USE(stpncpy(mine, v, some)))
STORES(stpncpy_to, USE(stpncpy(v, text, some)))
LOADS(strcat_from, { mine[0] = 0; strcat(mine, v); })
LOADS(strcat_end, strcat(v, "x"))
STORES(strcat_to, strcat(v, "x"))
LOADS(strncat_from, { mine[0] = 0; strncat(mine, v, some); })
STORES(strncat_to, strncat(v, "xyz", some - 31))
LOADS(strcmp, USE(strcmp(v, text)))
LOADS(strcmp_constant, USE(strcmp(v, "ab") == 0))
LOADS(strncmp, USE(strncmp(v, text, some)))
LOADS(strncmp_constant, USE(strncmp(v, "abc", 3) == 0))
LOADS(strcasecmp, USE(strcasecmp(text, v)))
LOADS(strncasecmp, USE(strncasecmp(text, v, some)))
LOADS(strcoll, USE(strcoll(text, v)))
LOADS(strxfrm_from, USE(strxfrm(mine, v, BYTES)))
STORES(strxfrm_to, USE(strxfrm(v, text, BYTES)))
LOADS(strchr, USE(strchr(v, 'd')))
LOADS(strchr_end, USE(strchr(v, 0)))
LOADS(strchrnul, USE(strchrnul(v, '%')))
LOADS(strrchr, USE(strrchr(v, 'd')))
LOADS(index, USE(index(v, 'd')))
LOADS(rindex, USE(rindex(v, 'd')))
LOADS(strstr, USE(strstr(v, "def")))
LOADS(strstr_what, USE(strstr(text, v)))
LOADS(strstr_one, USE(strstr(v, "d")))
LOADS(strcasestr, USE(strcasestr(v, "DEF")))
LOADS(strspn, USE(strspn(v, "abc")))
LOADS(strspn_set, USE(strspn(text, v)))
LOADS(strcspn, USE(strcspn(v, "def")))
LOADS(strpbrk, USE(strpbrk(v, "def")))
static char *rest;
LOADS(strtok_from, USE(strtok(v, "k")))
STORES(strtok_end, USE(strtok(v, "k")))
LOADS(strtok_r_from, USE(strtok_r(v, "k", &rest)))
STORES(strtok_r_end, USE(strtok_r(v, "k", &rest)))
STORES(strtok_r_rest, USE(strtok_r(strcpy(mine, text), "k", (char **)v)))
LOADS(strsep_from, { rest = v; USE(strsep(&rest, "k")); })
STORES(strsep_end, { rest = v; USE(strsep(&rest, "k")); })
LOADS(strdup, { char *c = strdup(v); USE(c[some - 30]); free(c); })
LOADS(strndup, { char *c = strndup(v, some); USE(c[some - 30]); free(c); })
STORES(strerror_r, USE(strerror_r(12345, v, BYTES)))
STORES(strftime, USE(strftime(v, BYTES, "%Y %d", &(struct tm){.tm_mday = 1})))
LOADS(strtol, USE(strtol(v, NULL, 16)))
STORES(strtol_end, USE(strtol(text, (char **)v, 16)))
LOADS(strtoull, USE(strtoull(v, NULL, 16)))
LOADS(strtoimax, USE(strtoimax(v, NULL, 16)))
LOADS(strtod, USE(strtod(v, NULL)))
LOADS(strtof, USE(strtof(v, NULL)))
LOADS(strtold, USE(strtold(v, NULL)))
LOADS(atoi, USE(atoi(v)))
LOADS(atol, USE(atol(v)))
LOADS(atof, USE(atof(v)))

/* ---- arrays */

static int by_byte(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static int by_byte_r(const void *a, const void *b, void *c) { return (void)c, by_byte(a, b); }
STORES(qsort, qsort(v, 24, 1, by_byte))
STORES(qsort_r, qsort_r(v, 24, 1, by_byte_r, NULL))

/* ---- streams and descriptors */

static FILE *in(void) { return fmemopen(text, 40, "r"); }
#define FROM(file, call) { FILE *f = file; USE(call); fclose(f); }
STORES(fread, FROM(in(), fread(v, 1, 24, f)))
STORES(fgets, FROM(in(), fgets(v, 24, f)))
STORES(fscanf, FROM(in(), fscanf(f, "%10s", v)))
LOADS(fwrite, USE(fwrite(v, 1, 24, out)))
LOADS(fwrite_one, USE(fwrite(v, 1, 1, out)))
LOADS(fputs, USE(fputs(v, out)))
STORES(getline, { FILE *f = in(); *(char **)v = NULL; size_t n = 0; USE(getline((char **)v, &n, f)); fclose(f); })
LOADS(fprintf, USE(fprintf(out, "%d %s\n", 1, v)))
LOADS(fprintf_text, USE(fprintf(out, "%s", v)))
LOADS(fprintf_format, USE(fprintf(out, v, 1)))
LOADS(fprintf_precision, USE(fprintf(out, "%f%*.*s%Lf", 1.0, 10, 20, v, 1.0L)))
STORES(fprintf_count, USE(fprintf(out, "a%hhn", (signed char *)v)))
LOADS(dprintf, USE(dprintf(ends[0], "%s", v)); USE(recv(ends[1], mine, BYTES, 0)))
LOADS(asprintf, { char *s; USE(asprintf(&s, "%s", v)); free(s); })
LOADS(sprintf_from, USE(sprintf(mine, "%s", v)))
STORES(sprintf_to, USE(sprintf(v, "%ld", (long)some)))
STORES(sprintf_constant, USE(sprintf(v, "a constant that is too long for one store or two")))
STORES(sprintf_text, USE(sprintf(v, "%s", text)))
LOADS(snprintf_from, USE(snprintf(mine, BYTES, "%s", v)))
STORES(snprintf_to, USE(snprintf(v, BYTES, "%ld", (long)some)))
STORES(snprintf_constant, USE(snprintf(v, BYTES, "a constant that is too long for one store")))
LOADS(sscanf_from, { int i = 0; USE(sscanf(v, "%x", &i)); })
STORES(sscanf_to, USE(sscanf("7 8", "%*d %ld", (long *)v)))
STORES(sscanf_text, USE(sscanf(text, "%8[a-z]", v)))
LOADS(fopen, { FILE *f = fopen(v, "r"); USE(f != NULL); })
LOADS(write, USE(write(null, v, 24)))
LOADS(pwrite, USE(pwrite(null, v, 24, 0)))
LOADS(writev, { struct iovec io = {v, 24}; USE(writev(null, &io, 1)); })
LOADS(pwritev, { struct iovec io = {v, 24}; USE(pwritev(null, &io, 1, 0)); })
STORES(read, USE(read(zeros, v, 24)))
STORES(pread, USE(pread(zeros, v, 24, 0)))
STORES(readv, { struct iovec io = {v, 24}; USE(readv(zeros, &io, 1)); })
STORES(preadv, { struct iovec io = {v, 24}; USE(preadv(zeros, &io, 1, 0)); })
STORES(readlink, USE(readlink("/proc/self/exe", v, 24)))

/* ---- structs, and what is as long */

#define STRUCTS(bytes)                                                         \
    struct s##bytes { char c[bytes]; };                                        \
    static struct s##bytes one_##bytes;                                        \
    LOADS(struct_from_##bytes, one_##bytes = *(struct s##bytes *)v)            \
    STORES(struct_to_##bytes, *(struct s##bytes *)v = one_##bytes)             \
    STORES(struct_zero_##bytes, *(struct s##bytes *)v = (struct s##bytes){{0}})
STRUCTS(3)
STRUCTS(8)
STRUCTS(16)
STRUCTS(24)
STRUCTS(128)
STRUCTS(1000)
struct words { long w[8]; };
struct mixed { int a : 3, b : 7; char c; double d; long double e; };
static struct words words;
static struct mixed mixed;
LOADS(words_from, words = *(struct words *)v)
STORES(words_to, *(struct words *)v = words)
LOADS(mixed_from, mixed = *(struct mixed *)v)
STORES(mixed_to, *(struct mixed *)v = mixed)
STORES(bits_to, ((struct mixed *)v)->b = 5)
LOADS(bits_from, USE(((struct mixed *)v)->b))
STORES(complex_to, *(double _Complex *)v = (double)some)
LOADS(complex_from, USE(*(double _Complex *)v))
/* clang does not instrument these. */
#ifndef __clang__
STORES(long_double_to, *(long double *)v = (long double)some)
typedef long four __attribute__((vector_size(32)));
STORES(vector_to, *(four *)v = (four){(long)some})
LOADS(vector_from, USE((*(four *)v)[1]))
#endif
STORES(loop_to, for (int i = 0; i < 128; i++) v[i] = 0)
LOADS(loop_from, for (int i = 0; i < 128; i++) mine[i] = v[i])

int main(void)
{
    log_start();
    setenv("OSHMPI_RACE", "exitcode=0,reports=4000", 1);
    t_init();
    for (int i = 0; i < 60; i++)
        text[i] = "abcdefghijk"[i % 11];
    zeros = open("/dev/zero", O_RDONLY);
    null = open("/dev/null", O_WRONLY);
    out = fdopen(dup(null), "w");
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
    for (int i = 0; i < count; i++)
        rows[i].run();

    char *log = log_text();
    for (int i = 0; i < count; i++) {
        char at[100];
        snprintf(at, sizeof at, "%s_at", rows[i].name);
        seen[0][i] = logged(log, "racy", rows[i].name) + 2 * logged(log, "racy", at);
        seen[1][i] = logged(log, "ordered", rows[i].name);
    }
    free(log);
    shmem_uchar_or_reduce(SHMEM_TEAM_WORLD, seen_by_all[0], seen[0], 2 * CASES);
    for (int i = 0; i < count && t_me == 0; i++) {
        t_what = rows[i].name;
        CHECK_EQ(seen_by_all[0][i], 3);
        CHECK_EQ(seen_by_all[1][i], 0);
    }
    return t_done();
}
