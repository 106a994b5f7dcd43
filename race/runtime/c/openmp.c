/* OpenMP as gcc calls it: what orders the threads of a region and tasks. Every function calls that of libgomp, if the
 * program has it. (clang's runtime tells by OMPT: `ompt.c`.)
 *
 * A region has a name; name + 1.. are what its threads release and acquire. */

#include "tasks.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORK = 0, JOIN = 1, ORDERED = 2, TASKS = 3, DEPENDS = 4, BARRIERS = 5, BARRIER_NAMES = 3 };
enum { CRITICAL = 0x6f6d7001, ATOMIC = 0x6f6d7002 };

struct region {
    uint64_t name;
    void (*run)(void *);
    void *arg;
};

/* The region that the thread is in, its barriers there so far, and the task that it runs. */
static __thread uint64_t region, barriers, task;
/* Where the region's part of the stack begins. */
static __thread void *frame;

/* Tasks and sections that one thread runs one after the other use its stack in turn. That is no order, and no race. */
static void new_stack(void *below)
{
    enum { LOOKED_AT = 1 << 20 };
    uintptr_t low = (uintptr_t)__builtin_frame_address(0) - LOOKED_AT;
    race_new_memory(low, (uintptr_t)below - low);
}

static void in_region(void *at)
{
    struct region *r = at;
    uint64_t before = region, barriers_before = barriers, task_before = task;
    void *frame_before = frame;
    frame = __builtin_frame_address(0);
    region = r->name;
    barriers = 0;
    task = race_fresh();
    race_acquire(r->name + FORK);
    r->run(r->arg);
    race_release(r->name + JOIN);
    region = before;
    barriers = barriers_before;
    task = task_before;
    frame = frame_before;
}

static struct region forked(void (*run)(void *), void *arg)
{
    struct region r = {race_fresh(), run, arg};
    race_many();
    race_release(r.name + FORK);
    return r;
}

static void joined(struct region *r)
{
    race_acquire(r->name + JOIN);
    race_acquire(r->name + TASKS);
}

#define WEAK __attribute__((weak))

/* A linker leaves libgomp out if it sees no call of it but those that come here. */
static void *of_libgomp(const char *name)
{
    void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE), *found = NULL;
    if (library)
        found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "oshmpi-race: %s is not found: %s\n", name, dlerror());
        abort();
    }
    return found;
}
#define REAL(name) (name ? name : (__typeof__(&name))of_libgomp(#name))

/* A region with the loop or the sections that gcc joins with it. */
#define PARALLEL(name, params, call)                                                  \
    WEAK void name params;                                                            \
    void __wrap_##name params                                                         \
    {                                                                                 \
        if (!oshmpi_race_on) {                                                     \
            REAL(name) call;                                                                \
            return;                                                                   \
        }                                                                             \
        struct region r = forked(fn, data);                                           \
        fn = in_region;                                                               \
        data = &r;                                                                    \
        REAL(name) call;                                                                    \
        joined(&r);                                                                   \
    }
#define FN void (*fn)(void *), void *data, unsigned threads
#define LOOP FN, long start, long end, long incr
PARALLEL(GOMP_parallel, (FN, unsigned flags), (fn, data, threads, flags))
PARALLEL(GOMP_parallel_sections, (FN, unsigned count, unsigned flags), (fn, data, threads, count, flags))
#define LOOPS(kind)                                                                                     \
    PARALLEL(GOMP_parallel_loop_##kind, (LOOP, long chunk, unsigned flags),                             \
             (fn, data, threads, start, end, incr, chunk, flags))
LOOPS(static)
LOOPS(dynamic)
LOOPS(guided)
LOOPS(nonmonotonic_dynamic)
LOOPS(nonmonotonic_guided)
#define RUNTIME_LOOPS(kind)                                                                             \
    PARALLEL(GOMP_parallel_loop_##kind, (LOOP, unsigned flags), (fn, data, threads, start, end, incr, flags))
RUNTIME_LOOPS(runtime)
RUNTIME_LOOPS(nonmonotonic_runtime)
RUNTIME_LOOPS(maybe_nonmonotonic_runtime)

/* What has a barrier of the region's threads in it. */
#define BARRIER(name)                                                                 \
    WEAK void name(void);                                                             \
    void __wrap_##name(void)                                                          \
    {                                                                                 \
        uint64_t round = region + BARRIERS + barriers % BARRIER_NAMES;                \
        if (!region || !oshmpi_race_on) {                                          \
            REAL(name)();                                                                   \
            return;                                                                   \
        }                                                                             \
        barriers++;                                                                   \
        race_release(round);                                                          \
        REAL(name)();                                                                       \
        race_acquire(round);                                                          \
        race_acquire(region + TASKS);                                                 \
    }
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

#define ACQUIRES(name, what)            \
    WEAK void name(void);               \
    void __wrap_##name(void)            \
    {                                   \
        REAL(name)();                         \
        if (oshmpi_race_on)          \
            race_acquire(what);         \
    }
#define RELEASES(name, what)            \
    WEAK void name(void);               \
    void __wrap_##name(void)            \
    {                                   \
        if (oshmpi_race_on)          \
            race_release(what);         \
        REAL(name)();                         \
    }
ACQUIRES(GOMP_ordered_start, region + ORDERED)
RELEASES(GOMP_ordered_end, region + ORDERED)
ACQUIRES(GOMP_critical_start, CRITICAL)
RELEASES(GOMP_critical_end, CRITICAL)
ACQUIRES(GOMP_atomic_start, ATOMIC)
RELEASES(GOMP_atomic_end, ATOMIC)
ACQUIRES(GOMP_taskwait, task)
ACQUIRES(GOMP_taskgroup_end, region + TASKS)

WEAK void GOMP_critical_name_start(void **name);
void __wrap_GOMP_critical_name_start(void **name)
{
    REAL(GOMP_critical_name_start)(name);
    if (oshmpi_race_on)
        race_acquire((uint64_t)(uintptr_t)name);
}

WEAK void GOMP_critical_name_end(void **name);
void __wrap_GOMP_critical_name_end(void **name)
{
    if (oshmpi_race_on)
        race_release((uint64_t)(uintptr_t)name);
    REAL(GOMP_critical_name_end)(name);
}

/* Sections: each is a thread of its own, whichever thread runs it, because another one might. */
static __thread uint64_t sections;
static __thread void *section;

WEAK int omp_get_num_threads(void);

static unsigned next_section(unsigned number)
{
    if (!region || !oshmpi_race_on || REAL(omp_get_num_threads)() == 1)
        return number;
    if (!sections)
        sections = race_fresh();
    if (section) {
        race_release(sections + JOIN);
        race_task_end(section);
        section = NULL;
        new_stack(frame);
    }
    if (number) {
        race_release(sections + FORK);
        section = race_task_begin(sections + FORK);
        new_stack(frame);
    } else {
        race_acquire(sections + JOIN);
    }
    return number;
}

WEAK unsigned GOMP_sections_start(unsigned count);
unsigned __wrap_GOMP_sections_start(unsigned count) { return next_section(REAL(GOMP_sections_start)(count)); }
WEAK unsigned GOMP_sections_next(void);
unsigned __wrap_GOMP_sections_next(void) { return next_section(REAL(GOMP_sections_next)()); }

/* A task, with a copy of its data. */
struct task {
    void (*run)(void *);
    uint64_t name, region, parent;
    bool depends;
    void *data;
};

static void in_task(void *at)
{
    struct task *t = *(struct task **)at;
    uint64_t region_before = region, task_before = task;
    new_stack(__builtin_frame_address(0));
    void *before = race_task_begin(t->name);
    region = t->region;
    task = t->name + 1;
    if (t->depends)
        race_acquire(t->region + DEPENDS);
    t->run(t->data);
    if (t->depends)
        race_release(t->region + DEPENDS);
    race_release(t->parent);
    race_release(t->region + TASKS);
    region = region_before;
    task = task_before;
    race_task_end(before);
    new_stack(__builtin_frame_address(0));
    free(t);
}

typedef void gomp_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                       bool deferred, unsigned flags, void **depend, int priority, void *detach);
WEAK gomp_task GOMP_task;
void __wrap_GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                      bool deferred, unsigned flags, void **depend, int priority, void *detach)
{
    struct task *t = oshmpi_race_on ? malloc(sizeof *t + (size_t)size + (size_t)align) : NULL;
    if (!t) {
        REAL(GOMP_task)(fn, data, copy, size, align, deferred, flags, depend, priority, detach);
        return;
    }
    uintptr_t room = ((uintptr_t)(t + 1) + (size_t)align - 1) / (size_t)align * (size_t)align;
    *t = (struct task){fn, race_fresh(), region, task, depend != NULL, (void *)room};
    if (copy)
        copy(t->data, data);
    else
        memcpy(t->data, data, (size_t)size);
    race_release(t->name);
    REAL(GOMP_task)(in_task, &t, NULL, sizeof t, _Alignof(struct task *), deferred, flags, depend, priority, detach);
}
