/* What threads of a region, and tasks, tell the detector: for both OpenMP runtimes, `openmp.c` and `ompt.c`. */

#ifndef OSHMPI_RACE_TASKS_H
#define OSHMPI_RACE_TASKS_H

#include <stddef.h>
#include <stdint.h>

/* Shadow pages of the process; null while nothing is recorded. */
extern int oshmpi_race_on;

uint64_t race_fresh(void);
void race_release(uint64_t name);
void race_release_more(uint64_t name);
void race_acquire(uint64_t name);
void race_forget(uint64_t name, uint64_t n);
void race_many(void);
void *race_task_begin(uint64_t name);
void race_task_end(void *before);
void race_new_memory(uintptr_t addr, size_t bytes);

/* What a region has beside its name: what its threads and tasks release and acquire is name + one of these. */
enum { FORK = 0, JOIN = 1, ORDERED = 2, TASKS = 3, DEPENDS = 4, BARRIERS = 5, BARRIER_NAMES = 3, NAMES = 8 };

/* Tasks and sections that one thread runs one after the other use its stack in turn. That is no order, and no race. */
static inline void new_stack(void *below)
{
    enum { LOOKED_AT = 1 << 20 };
    uintptr_t low = (uintptr_t)__builtin_frame_address(0) - LOOKED_AT;
    race_new_memory(low, (uintptr_t)below - low);
}

#endif
