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

#endif
