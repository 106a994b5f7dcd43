/* What the functions of printf's and scanf's kind load and store through their arguments. */

#include "wrap.h"
#include <string.h>
#include <wchar.h>

/* Conversions beyond these are not looked at. */
enum { MOST = 64 };

enum kind { NOTHING, INT, LONG, DOUBLE, LONG_DOUBLE, STRING, WIDE, POINTER, COUNT };

/* A modifier's number of bytes for integers. */
struct length {
    size_t bytes;
    int is_long, is_big;
};

static int digits(const char **f)
{
    int n = 0;
    for (; **f >= '0' && **f <= '9'; (*f)++)
        n = n * 10 + (**f - '0');
    return n;
}

/* The number in `N$`, from 0. -1: there is none, and nothing was skipped. */
static int place(const char **f)
{
    const char *at = *f;
    int n = digits(&at);
    if (n < 1 || *at != '$')
        return -1;
    *f = at + 1;
    return n - 1;
}

static struct length length(const char **f)
{
    struct length l = {sizeof(int), 0, 0};
    for (;; (*f)++) {
        if (**f == 'h')
            l.bytes /= 2;
        else if (**f == 'l' || **f == 'j' || **f == 'z' || **f == 'Z' || **f == 't' || **f == 'q')
            l = (struct length){sizeof(long long), **f == 'l', 0};
        else if (**f == 'L')
            l = (struct length){sizeof(long long), 0, 1};
        else
            return l;
        if (l.bytes == 0)
            l.bytes = 1;
    }
}

static size_t first(size_t one, size_t two) { return one < two ? one : two; }

/* An argument of printf. For a text: how much of it is printed at most, and which argument says so. */
struct argument {
    enum kind kind;
    size_t bytes;
    int precision, by;
    const void *value;
    int number;
};

static enum kind printed(char conversion, struct length l)
{
    switch (conversion) {
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'b': case 'B':
        return l.bytes > sizeof(int) ? LONG : INT;
    case 'c': case 'C':
        return INT;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        return l.is_big ? LONG_DOUBLE : DOUBLE;
    case 's':
        return l.is_long ? WIDE : STRING;
    case 'S':
        return WIDE;
    case 'p':
        return POINTER;
    case 'n':
        return COUNT;
    default:
        return NOTHING;
    }
}

/* An argument that is a width or a precision. */
static int star(const char **f, struct argument *all, int *next)
{
    (*f)++;
    int at = place(f);
    if (at < 0)
        at = (*next)++;
    if (at < MOST)
        all[at].kind = INT;
    return at;
}

static void parse(const char *f, struct argument *all)
{
    int next = 0;
    while ((f = strchr(f, '%'))) {
        f++;
        int at = place(&f), precision = -1, by = -1;
        f += strspn(f, "-+ #0'I");
        if (*f == '*')
            star(&f, all, &next);
        else
            digits(&f);
        if (*f == '.') {
            f++;
            if (*f == '*')
                by = star(&f, all, &next);
            else
                precision = digits(&f);
        }
        struct length l = length(&f);
        if (!*f)
            return;
        enum kind kind = printed(*f++, l);
        if (kind == NOTHING)
            continue;
        if (at < 0)
            at = next++;
        if (at < MOST)
            all[at] = (struct argument){.kind = kind, .bytes = l.bytes, .precision = precision, .by = by};
    }
}

static size_t text(const struct argument *all, const struct argument *a)
{
    int most = a->by >= 0 && a->by < MOST ? all[a->by].number : a->precision;
    size_t limit = most < 0 ? SIZE_MAX : (size_t)most;
    if (a->kind == STRING)
        return first(strnlen(a->value, limit), SIZE_MAX - 1) + (strnlen(a->value, limit) < limit);
    /* The limit is one of bytes that are printed, of which each character has at least one. */
    size_t n = wcsnlen(a->value, limit == SIZE_MAX ? SIZE_MAX / 4 : limit);
    return (n + (n < limit)) * sizeof(wchar_t);
}

HIDDEN void format_reads(const char *f, va_list list, uintptr_t pc)
{
    struct argument all[MOST] = {{0}};
    va_list rest;
    touch(f, strlen(f) + 1, 0, pc);
    parse(f, all);
    va_copy(rest, list);
    for (struct argument *a = all; a < all + MOST && a->kind != NOTHING; a++) {
        switch (a->kind) {
        case INT: a->number = va_arg(rest, int); break;
        case LONG: (void)va_arg(rest, long long); break;
        case DOUBLE: (void)va_arg(rest, double); break;
        case LONG_DOUBLE: (void)va_arg(rest, long double); break;
        default: a->value = va_arg(rest, const void *);
        }
    }
    va_end(rest);
    for (struct argument *a = all; a < all + MOST && a->kind != NOTHING; a++) {
        if (!a->value)
            continue;
        if (a->kind == COUNT)
            touch(a->value, a->bytes, 1, pc);
        else if (a->kind == STRING || a->kind == WIDE)
            touch(a->value, text(all, a), 0, pc);
    }
}

/* The bytes that a conversion of scanf has stored at `to`. */
static size_t scanned(char conversion, struct length l, int width, const void *to)
{
    switch (conversion) {
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        return l.is_big ? sizeof(long double) : l.is_long ? sizeof(double) : sizeof(float);
    case 'c': case 'C':
        return (size_t)(width ? width : 1) * (l.is_long || conversion == 'C' ? sizeof(wchar_t) : 1);
    case 's': case 'S': case '[':
        return l.is_long || conversion == 'S' ? (wcslen(to) + 1) * sizeof(wchar_t) : strlen(to) + 1;
    case 'p':
        return sizeof(void *);
    default:
        return l.bytes;
    }
}

/* Behind the set that follows a `[`. */
static const char *behind_set(const char *f)
{
    f += *f == '^';
    f += *f == ']';
    f += strcspn(f, "]");
    return f + (*f == ']');
}

HIDDEN void format_writes(const char *f, int converted, va_list list, uintptr_t pc)
{
    void *all[MOST];
    int fetched = 0, next = 0, done = 0;
    va_list rest;
    touch(f, strlen(f) + 1, 0, pc);
    va_copy(rest, list);
    while ((f = strchr(f, '%'))) {
        f++;
        int at = place(&f), ignored = 0, allocates = 0;
        for (; *f == '*' || *f == '\'' || *f == 'I'; f++)
            ignored |= *f == '*';
        int width = digits(&f);
        for (; *f == 'm'; f++)
            allocates = 1;
        struct length l = length(&f);
        char conversion = *f;
        if (!conversion)
            break;
        f = conversion == '[' ? behind_set(f + 1) : f + 1;
        if (conversion == '%' || ignored)
            continue;
        if (at < 0)
            at = next++;
        if (at >= MOST || (conversion != 'n' && done++ >= converted) || done > converted)
            break;
        /* All arguments are pointers. */
        while (fetched <= at)
            all[fetched++] = va_arg(rest, void *);
        touch(all[at], allocates ? sizeof(void *) : scanned(conversion, l, width, all[at]), 1, pc);
        if (allocates)
            fresh(*(void **)all[at], scanned(conversion, l, width, *(void **)all[at]));
    }
    va_end(rest);
}
