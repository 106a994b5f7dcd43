/* What the files of `__wrap_NAME` functions share: `library.c` and `threads.c`. */

#ifndef OSHMPI_RACE_WRAP_H
#define OSHMPI_RACE_WRAP_H

#include "calls.h"
#include <stdarg.h>

HIDDEN extern int oshmpi_race_on;
HIDDEN extern int oshmpi_race_many;
HIDDEN extern int oshmpi_race_threads;

HIDDEN struct stack *oshmpi_race_stack(void);
void race_library(uintptr_t addr, size_t bytes, int writes, uintptr_t pc);
void race_new_memory(uintptr_t addr, size_t bytes);

/* Whether the call is the program's: from instrumented code, and not out of a routine. */
static inline int noted(void)
{
    if (!oshmpi_race_on)
        return 0;
    struct stack *stack = oshmpi_race_stack();
    return stack->depth > 0 && !stack->inside;
}

static inline void touch(const volatile void *at, size_t bytes, int writes, uintptr_t pc)
{
    if (bytes)
        race_library((uintptr_t)at, bytes, writes, pc);
}

/* Memory that a thread gets may have been another's: what that one did there is over. */
static inline void *fresh(void *at, size_t bytes)
{
    if (at && oshmpi_race_many)
        race_new_memory((uintptr_t)at, bytes);
    return at;
}

/* What a call of printf's kind loads and stores by its arguments, and one of scanf's kind that has made so many
 * conversions: `format.c`. */
HIDDEN void format_reads(const char *format, va_list, uintptr_t pc);
HIDDEN void format_writes(const char *format, int converted, va_list, uintptr_t pc);

#endif
