/* Functions of the C library that load or store the program's memory. Those of library.txt are also calls for the
 * compiler: its own code in their place would not be instrumented. docs/races.md names the same.
 *
 * The program is linked with `--wrap=NAME` for each function `__wrap_NAME`. So its calls come here and those of
 * libraries do not. In the archive a call of NAME is one of `__real_NAME`, because `cargo xtask install` renames it. */

#define _GNU_SOURCE
#include "wrap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The call loads or stores so many bytes. */
#define IN(at, bytes) touch(at, bytes, 0, PC)
#define OUT(at, bytes) touch(at, bytes, 1, PC)
/* A string with its end; the part of it in `n` bytes. */
#define WHOLE(s) (strlen(s) + 1)
#define UP_TO(s, n) first(strnlen(s, n) + 1, n)
#define TEXT(s) IN(s, WHOLE(s))

static inline size_t first(size_t one, size_t two) { return one < two ? one : two; }

static inline size_t from_to(const void *from, const void *to)
{
    return (size_t)((const char *)to - (const char *)from);
}

/* A function with what is noted before and after the call, whose result is `r`. */
#define WRAP(type, name, parameters, arguments, before, after) \
    type __wrap_##name parameters                              \
    {                                                          \
        const int on = noted();                                \
        if (on) {                                              \
            before;                                            \
        }                                                      \
        type r = name arguments;                               \
        if (on) {                                              \
            after;                                             \
        }                                                      \
        return r;                                              \
    }
#define WRAP_VOID(name, parameters, arguments, before, after)  \
    void __wrap_##name parameters                              \
    {                                                          \
        const int on = noted();                                \
        if (on) {                                              \
            before;                                            \
        }                                                      \
        name arguments;                                        \
        if (on) {                                              \
            after;                                             \
        }                                                      \
    }

/* ---- memory */

#define COPIES(name) \
    WRAP(void *, name, (void *to, const void *from, size_t n), (to, from, n), IN(from, n); OUT(to, n), (void)r)
COPIES(memcpy)
COPIES(memmove)
COPIES(mempcpy)
WRAP(void *, memccpy, (void *to, const void *from, int end, size_t n), (to, from, end, n), ,
     size_t done = r ? from_to(to, r) : n; IN(from, done); OUT(to, done))
WRAP(void *, memset, (void *to, int value, size_t n), (to, value, n), OUT(to, n), )
WRAP(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n), IN(a, n); IN(b, n), )
WRAP(int, bcmp, (const void *a, const void *b, size_t n), (a, b, n), IN(a, n); IN(b, n), )
WRAP(void *, memchr, (const void *s, int c, size_t n), (s, c, n), , IN(s, r ? from_to(s, r) + 1 : n))
WRAP(void *, memrchr, (const void *s, int c, size_t n), (s, c, n), ,
     const char *low = r ? r : s; IN(low, n - from_to(s, low)))
WRAP(void *, rawmemchr, (const void *s, int c), (s, c), , IN(s, from_to(s, r) + 1))
WRAP(void *, memmem, (const void *s, size_t n, const void *what, size_t m), (s, n, what, m), IN(what, m),
     IN(s, r ? from_to(s, r) + m : n))
WRAP_VOID(bcopy, (const void *from, void *to, size_t n), (from, to, n), IN(from, n); OUT(to, n), )
WRAP_VOID(bzero, (void *to, size_t n), (to, n), OUT(to, n), )
WRAP_VOID(explicit_bzero, (void *to, size_t n), (to, n), OUT(to, n), )

/* What the headers make of some with _FORTIFY_SOURCE, where a file defines it itself. */
#define CHECKED(name, parameters, arguments, room) \
    void *__wrap___##name##_chk parameters         \
    {                                              \
        if (n > room)                              \
            abort();                               \
        return __wrap_##name arguments;            \
    }
CHECKED(memcpy, (void *to, const void *from, size_t n, size_t room), (to, from, n), room)
CHECKED(memmove, (void *to, const void *from, size_t n, size_t room), (to, from, n), room)
CHECKED(memset, (void *to, int value, size_t n, size_t room), (to, value, n), room)

/* ---- strings */

WRAP(size_t, strlen, (const char *s), (s), , IN(s, r + 1))
WRAP(size_t, strnlen, (const char *s, size_t n), (s, n), , IN(s, first(r + 1, n)))
#define COPIES_TEXT(name) \
    WRAP(char *, name, (char *to, const char *from), (to, from), size_t n = WHOLE(from); IN(from, n); OUT(to, n), )
COPIES_TEXT(strcpy)
COPIES_TEXT(stpcpy)
#define COPIES_PART(name) \
    WRAP(char *, name, (char *to, const char *from, size_t n), (to, from, n), IN(from, UP_TO(from, n)); OUT(to, n), )
COPIES_PART(strncpy)
COPIES_PART(stpncpy)
WRAP(char *, strcat, (char *to, const char *from), (to, from),
     size_t at = strlen(to); TEXT(from); IN(to, at + 1); OUT(to + at, WHOLE(from)), )
WRAP(char *, strncat, (char *to, const char *from, size_t n), (to, from, n),
     size_t at = strlen(to); IN(from, UP_TO(from, n)); IN(to, at + 1); OUT(to + at, strnlen(from, n) + 1), )
/* Of glibc 2.38. */
size_t strlcpy(char *, const char *, size_t) __attribute__((weak));
size_t strlcat(char *, const char *, size_t) __attribute__((weak));
WRAP(size_t, strlcpy, (char *to, const char *from, size_t n), (to, from, n), TEXT(from), OUT(to, first(r + 1, n)))
WRAP(size_t, strlcat, (char *to, const char *from, size_t n), (to, from, n),
     size_t at = strnlen(to, n); TEXT(from); IN(to, first(at + 1, n)); OUT(to + at, first(WHOLE(from), n - at)), )

/* Up to the first difference, or the end. */
#define COMPARES(name, limits, limited, n, fold)                                                              \
    WRAP(int, name, limits, limited, , size_t i = 0;                                                          \
         while (i < n && a[i] && fold(a[i]) == fold(b[i])) i++; IN(a, first(i + 1, n)); IN(b, first(i + 1, n)); (void)r)
#define TWO (const char *a, const char *b)
#define TWO_PARTS (const char *a, const char *b, size_t n)
#define SAME(c) (c)
#define LOWER(c) ((c) >= 'A' && (c) <= 'Z' ? (c) | 32 : (c))
COMPARES(strcmp, TWO, (a, b), SIZE_MAX, SAME)
COMPARES(strncmp, TWO_PARTS, (a, b, n), n, SAME)
COMPARES(strcasecmp, TWO, (a, b), SIZE_MAX, LOWER)
COMPARES(strncasecmp, TWO_PARTS, (a, b, n), n, LOWER)
WRAP(int, strcoll, TWO, (a, b), TEXT(a); TEXT(b), )
WRAP(size_t, strxfrm, (char *to, const char *from, size_t n), (to, from, n), TEXT(from), if (r < n) OUT(to, r + 1))

#define FINDS(name) \
    WRAP(char *, name, (const char *s, int c), (s, c), , IN(s, r ? from_to(s, r) + 1 : WHOLE(s)))
FINDS(strchr)
FINDS(index)
FINDS(strchrnul)
WRAP(char *, strrchr, (const char *s, int c), (s, c), , TEXT(s))
WRAP(char *, rindex, (const char *s, int c), (s, c), , TEXT(s))
#define FINDS_TEXT(name) \
    WRAP(char *, name, (const char *s, const char *what), (s, what), TEXT(what), \
         IN(s, r ? from_to(s, r) + strlen(what) : WHOLE(s)))
FINDS_TEXT(strstr)
FINDS_TEXT(strcasestr)
WRAP(size_t, strspn, (const char *s, const char *set), (s, set), TEXT(set), IN(s, r + 1))
WRAP(size_t, strcspn, (const char *s, const char *set), (s, set), TEXT(set), IN(s, r + 1))
WRAP(char *, strpbrk, (const char *s, const char *set), (s, set), TEXT(set), IN(s, r ? from_to(s, r) + 1 : WHOLE(s)))

/* The next token behind `s`, or behind where the last one ended. Its end is stored. */
static char *token(char *s, const char *set, char **rest, uintptr_t pc)
{
    char *begin = s ? s : *rest, *r;
    size_t before = begin && noted() ? strlen(begin) + 1 : 0;
    r = strtok_r(s, set, rest);
    if (!before)
        return r;
    size_t read = r ? from_to(begin, r) + strlen(r) + 1 : before;
    touch(set, strlen(set) + 1, 0, pc);
    touch(begin, read, 0, pc);
    if (r && read < before)
        touch(begin + read - 1, 1, 1, pc);
    return r;
}

char *__wrap_strtok(char *s, const char *set)
{
    static char *rest;
    return token(s, set, &rest, PC);
}

char *__wrap_strtok_r(char *s, const char *set, char **rest)
{
    char *r = token(s, set, rest, PC);
    if (noted())
        OUT(rest, sizeof *rest);
    return r;
}

WRAP(char *, strsep, (char **rest, const char *set), (rest, set), TEXT(set); IN(rest, sizeof *rest),
     if (r) { IN(r, WHOLE(r)); OUT(rest, sizeof *rest); if (*rest) OUT(*rest - 1, 1); })
WRAP(char *, strdup, (const char *s), (s), TEXT(s), fresh(r, WHOLE(s)))
WRAP(char *, strndup, (const char *s, size_t n), (s, n), IN(s, UP_TO(s, n)), fresh(r, strnlen(s, n) + 1))
WRAP(char *, strerror_r, (int error, char *to, size_t n), (error, to, n), , if (r == to) OUT(to, WHOLE(to)))
int __xpg_strerror_r(int, char *, size_t);
WRAP(int, __xpg_strerror_r, (int error, char *to, size_t n), (error, to, n), , if (n) OUT(to, UP_TO(to, n)))
WRAP(size_t, strftime, (char *to, size_t n, const char *f, const struct tm *tm), (to, n, f, tm),
     TEXT(f); IN(tm, sizeof *tm), if (r) OUT(to, r + 1))

/* Numbers: what is read ends with the character behind them. */
#define NUMBER(type, name, params, args)                          \
    type name params __attribute__((weak));                       \
    type __wrap_##name params                                     \
    {                                                             \
        char *behind = (char *)s, **caller = end;                 \
        end = &behind;                                            \
        type r = name args;                                       \
        if (noted()) {                                            \
            IN(s, from_to(s, behind) + 1);                        \
            if (caller)                                           \
                OUT(caller, sizeof *caller);                      \
        }                                                         \
        if (caller)                                               \
            *caller = behind;                                     \
        return r;                                                 \
    }
#define INTEGER(type, name) \
    NUMBER(type, name, (const char *s, char **end, int base), (s, end, base)) \
    NUMBER(type, __isoc23_##name, (const char *s, char **end, int base), (s, end, base))
INTEGER(long, strtol)
INTEGER(long long, strtoll)
INTEGER(unsigned long, strtoul)
INTEGER(unsigned long long, strtoull)
INTEGER(intmax_t, strtoimax)
INTEGER(uintmax_t, strtoumax)
NUMBER(float, strtof, (const char *s, char **end), (s, end))
NUMBER(double, strtod, (const char *s, char **end), (s, end))
NUMBER(long double, strtold, (const char *s, char **end), (s, end))
WRAP(int, atoi, (const char *s), (s), TEXT(s), )
WRAP(long, atol, (const char *s), (s), TEXT(s), )
WRAP(long long, atoll, (const char *s), (s), TEXT(s), )
WRAP(double, atof, (const char *s), (s), TEXT(s), )

/* ---- arrays */

typedef int compare(const void *, const void *);
typedef int compare_by(const void *, const void *, void *);
WRAP_VOID(qsort, (void *at, size_t n, size_t size, compare *f), (at, n, size, f), OUT(at, n * size), )
WRAP_VOID(qsort_r, (void *at, size_t n, size_t size, compare_by *f, void *arg), (at, n, size, f, arg),
          OUT(at, n * size), )
/* ---- streams */

#define READS_ITEMS(name) \
    WRAP(size_t, name, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f), , OUT(to, size * r))
READS_ITEMS(fread)
READS_ITEMS(fread_unlocked)
#define WRITES_ITEMS(name) \
    WRAP(size_t, name, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f), IN(from, size * n), )
WRITES_ITEMS(fwrite)
WRITES_ITEMS(fwrite_unlocked)
WRAP(char *, fgets, (char *to, int n, FILE *f), (to, n, f), , if (r) OUT(to, WHOLE(to)))
WRAP(char *, fgets_unlocked, (char *to, int n, FILE *f), (to, n, f), , if (r) OUT(to, WHOLE(to)))
WRAP(int, fputs, (const char *s, FILE *f), (s, f), TEXT(s), )
WRAP(int, fputs_unlocked, (const char *s, FILE *f), (s, f), TEXT(s), )
WRAP(int, puts, (const char *s), (s), TEXT(s), )
WRAP_VOID(perror, (const char *s), (s), if (s) TEXT(s), )
#define READ_LINE if (r >= 0) { OUT(line, sizeof *line); OUT(room, sizeof *room); OUT(*line, (size_t)r + 1); }
WRAP(ssize_t, getline, (char **line, size_t *room, FILE *f), (line, room, f), , READ_LINE)
WRAP(ssize_t, getdelim, (char **line, size_t *room, int end, FILE *f), (line, room, end, f), , READ_LINE)
WRAP(ssize_t, __getdelim, (char **line, size_t *room, int end, FILE *f), (line, room, end, f), , READ_LINE)
#define OPENS(name) WRAP(FILE *, name, (const char *path, const char *how), (path, how), TEXT(path); TEXT(how), )
OPENS(fopen)
OPENS(fopen64)
OPENS(popen)
WRAP(FILE *, fdopen, (int fd, const char *how), (fd, how), TEXT(how), )
WRAP(FILE *, freopen, (const char *path, const char *how, FILE *f), (path, how, f), if (path) TEXT(path); TEXT(how), )
WRAP(FILE *, freopen64, (const char *path, const char *how, FILE *f), (path, how, f), if (path) TEXT(path); TEXT(how), )
WRAP(int, remove, (const char *path), (path), TEXT(path), )
WRAP(int, rename, (const char *from, const char *to), (from, to), TEXT(from); TEXT(to), )

/* ---- text that is formatted: the arguments, the text where it goes to memory, and what is scanned */

#define PRINTED(arguments) if (on) format_reads(f, arguments, PC)
/* A function with `...` and that with a va_list. `result`: noted after it. */
#define PRINTS(name, vname, PARAMETERS, arguments, result)  \
    int __wrap_##vname(PARAMETERS const char *f, va_list a)  \
    {                                                        \
        const int on = noted();                              \
        PRINTED(a);                                          \
        int r = vname arguments;                             \
        if (on && r >= 0) {                                  \
            result;                                          \
        }                                                    \
        return r;                                            \
    }                                                        \
    int __wrap_##name(PARAMETERS const char *f, ...)         \
    {                                                        \
        va_list a;                                           \
        const int on = noted();                              \
        va_start(a, f);                                      \
        PRINTED(a);                                          \
        int r = vname arguments;                             \
        va_end(a);                                           \
        if (on && r >= 0) {                                  \
            result;                                          \
        }                                                    \
        return r;                                            \
    }
#define TO(type) type to,
#define TO_MEMORY char *to, size_t n,
PRINTS(fprintf, vfprintf, TO(FILE *), (to, f, a), )
PRINTS(dprintf, vdprintf, TO(int), (to, f, a), )
PRINTS(asprintf, vasprintf, TO(char **), (to, f, a), OUT(to, sizeof *to); fresh(*to, (size_t)r + 1))
PRINTS(sprintf, vsprintf, TO(char *), (to, f, a), OUT(to, (size_t)r + 1))
PRINTS(snprintf, vsnprintf, TO_MEMORY, (to, n, f, a), OUT(to, first((size_t)r + 1, n)))
PRINTS(printf, vprintf, , (f, a), )

#define SCANS(name, vname, FROM, from, before)                          \
    int vname(FROM const char *f, va_list a) __attribute__((weak));     \
    static int vname##_at(FROM const char *f, va_list a, uintptr_t pc)  \
    {                                                                   \
        const int on = noted();                                         \
        va_list again;                                                  \
        va_copy(again, a);                                              \
        if (on) {                                                       \
            before;                                                     \
        }                                                               \
        int r = vname(from f, a);                                       \
        if (on)                                                         \
            format_writes(f, r, again, pc);                             \
        va_end(again);                                                  \
        return r;                                                       \
    }                                                                   \
    int __wrap_##vname(FROM const char *f, va_list a) { return vname##_at(from f, a, PC); } \
    int __wrap_##name(FROM const char *f, ...)                          \
    {                                                                   \
        va_list a;                                                      \
        va_start(a, f);                                                 \
        int r = vname##_at(from f, a, PC);                              \
        va_end(a);                                                      \
        return r;                                                       \
    }
#define STRING const char *s,
#define STREAM FILE *s,
#define S s,
/* Headers give them the names of a standard. */
#define SCAN(sscanf, vsscanf, fscanf, vfscanf, scanf, vscanf)            \
    SCANS(sscanf, vsscanf, STRING, S, touch(s, WHOLE(s), 0, pc))         \
    SCANS(fscanf, vfscanf, STREAM, S, )                                  \
    SCANS(scanf, vscanf, , , )
SCAN(sscanf, vsscanf, fscanf, vfscanf, scanf, vscanf)
SCAN(__isoc99_sscanf, __isoc99_vsscanf, __isoc99_fscanf, __isoc99_vfscanf, __isoc99_scanf, __isoc99_vscanf)
SCAN(__isoc23_sscanf, __isoc23_vsscanf, __isoc23_fscanf, __isoc23_vfscanf, __isoc23_scanf, __isoc23_vscanf)

/* ---- descriptors */

/* The first `most` bytes that vectors lead to. */
static void vectors(const struct iovec *v, size_t n, size_t most, int writes, uintptr_t pc)
{
    touch(v, n * sizeof *v, 0, pc);
    for (; n && most; n--, v++) {
        size_t bytes = first(v->iov_len, most);
        touch(v->iov_base, bytes, writes, pc);
        most -= bytes;
    }
}

#define GETS(name, parameters, arguments) WRAP(ssize_t, name, parameters, arguments, , if (r > 0) OUT(to, (size_t)r))
#define PUTS(name, parameters, arguments) WRAP(ssize_t, name, parameters, arguments, IN(from, n), )
GETS(read, (int fd, void *to, size_t n), (fd, to, n))
GETS(pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
GETS(pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at))
GETS(readlink, (const char *path, char *to, size_t n), (path, to, n))
PUTS(write, (int fd, const void *from, size_t n), (fd, from, n))
PUTS(pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
PUTS(pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))

#define GETS_VECTORS(name, parameters, arguments) \
    WRAP(ssize_t, name, parameters, arguments, , if (r > 0) vectors(v, (size_t)n, (size_t)r, 1, PC))
#define PUTS_VECTORS(name, parameters, arguments) \
    WRAP(ssize_t, name, parameters, arguments, vectors(v, (size_t)n, SIZE_MAX, 0, PC), )
#define VECTORS int fd, const struct iovec *v, int n
GETS_VECTORS(readv, (VECTORS), (fd, v, n))
GETS_VECTORS(preadv, (VECTORS, off_t at), (fd, v, n, at))
GETS_VECTORS(preadv64, (VECTORS, off64_t at), (fd, v, n, at))
PUTS_VECTORS(writev, (VECTORS), (fd, v, n))
PUTS_VECTORS(pwritev, (VECTORS, off_t at), (fd, v, n, at))
PUTS_VECTORS(pwritev64, (VECTORS, off64_t at), (fd, v, n, at))
