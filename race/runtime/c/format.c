/* What the functions of printf's and scanf's kind load and store through their arguments. Behind an argument that is
 * named by its number (`%1$d`) nothing is seen. */

#include "wrap.h"
#include <string.h>
#include <wchar.h>

static int digits(const char **f)
{
    int n = 0;
    for (; **f >= '0' && **f <= '9'; (*f)++)
        n = n * 10 + (**f - '0');
    return n;
}

/* A modifier's number of bytes for integers. */
struct length {
    size_t bytes;
    int is_long, is_big;
};

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

/* A width or a precision, which may be an argument. */
static int number(const char **f, va_list *rest)
{
    if (**f != '*')
        return digits(f);
    (*f)++;
    return va_arg(*rest, int);
}

/* The bytes that are loaded of a text of which so many are printed. Less than 0: all. */
static size_t text(const void *at, int is_wide, int most)
{
    size_t limit = most < 0 ? SIZE_MAX / 4 : (size_t)most;
    /* The limit is one of bytes that are printed, of which each character has at least one. */
    size_t n = is_wide ? wcsnlen(at, limit) : strnlen(at, limit);
    return (n + (n < limit)) * (is_wide ? sizeof(wchar_t) : 1);
}

HIDDEN void format_reads(const char *f, va_list list, uintptr_t pc)
{
    va_list rest;
    touch(f, strlen(f) + 1, 0, pc);
    va_copy(rest, list);
    while ((f = strchr(f, '%'))) {
        int precision = -1;
        const void *at;
        f += 1 + strspn(f + 1, "-+ #0'I");
        number(&f, &rest);
        if (*f == '.') {
            f++;
            precision = number(&f, &rest);
        }
        struct length l = length(&f);
        if (!*f || *f == '$')
            break;
        switch (*f++) {
        case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'b': case 'B':
            if (l.bytes > sizeof(int)) {
                (void)va_arg(rest, long long);
                break;
            }
            /* fallthrough */
        case 'c': case 'C':
            (void)va_arg(rest, int);
            break;
        case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
            if (l.is_big)
                (void)va_arg(rest, long double);
            else
                (void)va_arg(rest, double);
            break;
        case 's': case 'S':
            if ((at = va_arg(rest, const void *)))
                touch(at, text(at, l.is_long || f[-1] == 'S', precision), 0, pc);
            break;
        case 'p':
            (void)va_arg(rest, const void *);
            break;
        case 'n':
            touch(va_arg(rest, const void *), l.bytes, 1, pc);
            break;
        }
    }
    va_end(rest);
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
    int done = 0;
    va_list rest;
    touch(f, strlen(f) + 1, 0, pc);
    va_copy(rest, list);
    while ((f = strchr(f, '%'))) {
        int ignored = 0, allocates = 0;
        for (f++; *f == '*' || *f == '\'' || *f == 'I'; f++)
            ignored |= *f == '*';
        int width = digits(&f);
        for (; *f == 'm'; f++)
            allocates = 1;
        struct length l = length(&f);
        char conversion = *f;
        if (!conversion || conversion == '$')
            break;
        f = conversion == '[' ? behind_set(f + 1) : f + 1;
        if (conversion == '%' || ignored)
            continue;
        if ((conversion != 'n' && done++ >= converted) || done > converted)
            break;
        /* All arguments are pointers. */
        void *at = va_arg(rest, void *);
        touch(at, allocates ? sizeof(void *) : scanned(conversion, l, width, at), 1, pc);
        if (allocates)
            fresh(*(void **)at, scanned(conversion, l, width, *(void **)at));
    }
    va_end(rest);
}
