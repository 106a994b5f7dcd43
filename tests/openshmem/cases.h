/* cases.h: programs that do one misuse per run, named by the first argument.
 *
 * MISUSE(name, "text", ...) { ... } defines one for the last PE alone, while the others wait; MISUSE_OF_ALL(name, ...)
 * one that all PEs do; and one whose name begins with "warn" is done by all PEs, after which the job goes on. The texts
 * stand in the line of the name; `cargo xtask ctest` looks for all of them in one line of the library. main ends with
 * t_misuse().
 */
#ifndef T_CASES_H
#define T_CASES_H

#include "check.h"

struct t_case {
    const char *name;
    void (*act)(void);
    int of_all;
    struct t_case *next;
};
static struct t_case *t_cases;

#define T_CASE(NAME, OF_ALL)                                                \
    static void NAME(void);                                                 \
    __attribute__((constructor)) static void t_add_##NAME(void)             \
    {                                                                       \
        static struct t_case t = {#NAME, NAME, OF_ALL, NULL};               \
        t.next = t_cases;                                                   \
        t_cases = &t;                                                       \
    }                                                                       \
    static void NAME(void)
#define MISUSE(NAME, ...) T_CASE(NAME, 0)
#define MISUSE_OF_ALL(NAME, ...) T_CASE(NAME, 1)

/* What another thread of a misuse does, with its argument `arg`. */
#define T_THREAD(NAME, CALL) \
    static void *NAME(void *arg) { return (void)(CALL), arg; }

/* The case of a name. A name that is none ends the process. */
static const struct t_case *t_case(const char *name)
{
    for (const struct t_case *c = t_cases; c; c = c->next)
        if (!strcmp(c->name, name))
            return c;
    fprintf(stderr, "there is no misuse %s\n", name);
    exit(2);
}

/* Does a misuse and reports that nothing has stopped it. */
static void t_act(const struct t_case *c)
{
    c->act();
    fputs("the misuse went through\n", stderr);
}

/* All PEs end together and with 0, as only a job can that no misuse has ended: a library that prints its line and goes
 * on must not be taken for one that ends the job. */
static int t_went_through(void)
{
    t_done();
    return 0;
}

/* Does the misuse of this run; returns the exit code. */
T_UNUSED static int t_misuse(const char *name)
{
    const struct t_case *c = t_case(name);
    if (!strncmp(name, "warn", 4)) {
        c->act();
        return t_done();
    }
    if (c->of_all || t_me == t_npes - 1)
        t_act(c);
    return t_went_through();
}

#endif
