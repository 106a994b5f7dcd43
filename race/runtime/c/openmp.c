/* OpenMP as gcc calls it: what orders the threads of a region and tasks. Every function calls that of libgomp, if the
 * program has it. (clang's runtime tells by OMPT: `ompt.c`.) */

#include "tasks.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CRITICAL = 0x6f6d7001, ATOMIC = 0x6f6d7002, EVENTS = 0x6f6d7003 };

struct region {
    uint64_t name;
    void (*run)(void *);
    void *arg;
};

/* The region that the thread is in, its barriers there so far, and the task that it runs. */
static __thread uint64_t region, barriers, task;
/* Where the region's part of the stack begins. */
static __thread void *frame;
/* Some event has ended a task, or may have. */
static bool events;

/* After tasks that have released `name`, and what has ended them. */
static void tasks_over(uint64_t name)
{
    race_acquire(name);
    if (__atomic_load_n(&events, __ATOMIC_RELAXED))
        race_acquire(EVENTS);
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
    race_forget(task, 1);
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
    tasks_over(r->name + TASKS);
    race_forget(r->name, NAMES);
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

/* A barrier of the region's threads: what they release before it and acquire after it. 0: nothing. */
static uint64_t arrive(void)
{
    if (!region || !oshmpi_race_on)
        return 0;
    uint64_t round = region + BARRIERS + barriers % BARRIER_NAMES;
    race_release(round);
    return round;
}

static void depart(uint64_t round)
{
    if (!round)
        return;
    barriers++;
    race_acquire(round);
    tasks_over(region + TASKS);
}

/* What has a barrier in it. */
#define BARRIER(name)            \
    WEAK void name(void);        \
    void __wrap_##name(void)     \
    {                            \
        uint64_t round = arrive(); \
        REAL(name)();            \
        depart(round);           \
    }
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

/* In a region that can be cancelled. Where it was, the barrier orders nothing, and the region ends. */
#define BARRIER_CANCEL(name)            \
    WEAK bool name(void);               \
    bool __wrap_##name(void)            \
    {                                   \
        uint64_t round = arrive();      \
        bool cancelled = REAL(name)();  \
        if (!cancelled)                 \
            depart(round);              \
        return cancelled;               \
    }
BARRIER_CANCEL(GOMP_barrier_cancel)
BARRIER_CANCEL(GOMP_loop_end_cancel)
BARRIER_CANCEL(GOMP_sections_end_cancel)

/* One thread gets null, does what is for one, and passes the data on. The others wait for them. */
WEAK void *GOMP_single_copy_start(void);
void *__wrap_GOMP_single_copy_start(void)
{
    uint64_t round = arrive();
    void *data = REAL(GOMP_single_copy_start)();
    if (data)
        depart(round);
    return data;
}

WEAK void GOMP_single_copy_end(void *data);
void __wrap_GOMP_single_copy_end(void *data)
{
    uint64_t round = arrive();
    REAL(GOMP_single_copy_end)(data);
    depart(round);
}

/* A call, with what is noted before it and after it. */
#define AROUND(name, parameters, arguments, first, then) \
    WEAK void name parameters;                           \
    void __wrap_##name parameters                        \
    {                                                    \
        if (oshmpi_race_on)                              \
            first;                                       \
        REAL(name) arguments;                            \
        if (oshmpi_race_on)                              \
            then;                                        \
    }
#define NOTHING (void)0
#define FOLLOWED(name, then) AROUND(name, (void), (), NOTHING, then)
#define ACQUIRES(name, what) FOLLOWED(name, race_acquire(what))
#define RELEASES(name, what) AROUND(name, (void), (), race_release(what), NOTHING)
ACQUIRES(GOMP_ordered_start, region + ORDERED)
RELEASES(GOMP_ordered_end, region + ORDERED)
ACQUIRES(GOMP_critical_start, CRITICAL)
RELEASES(GOMP_critical_end, CRITICAL)
ACQUIRES(GOMP_atomic_start, ATOMIC)
RELEASES(GOMP_atomic_end, ATOMIC)

FOLLOWED(GOMP_taskwait, tasks_over(task))
FOLLOWED(GOMP_taskgroup_end, tasks_over(region + TASKS))

/* Locks, for C and for Fortran. (clang's runtime tells of them, too. Twice is no harm.) */
#define SET(name) AROUND(name, (void *lock), (lock), NOTHING, race_acquire((uintptr_t)lock))
#define UNSET(name) AROUND(name, (void *lock), (lock), race_release((uintptr_t)lock), NOTHING)
#define DESTROY(name) AROUND(name, (void *lock), (lock), race_forget((uintptr_t)lock, 1), NOTHING)
#define TEST(name)                              \
    WEAK int name(void *lock);                  \
    int __wrap_##name(void *lock)               \
    {                                           \
        int got = REAL(name)(lock);             \
        if (got && oshmpi_race_on)              \
            race_acquire((uintptr_t)lock);      \
        return got;                             \
    }
SET(omp_set_lock)
SET(omp_set_lock_)
SET(omp_set_nest_lock)
SET(omp_set_nest_lock_)
UNSET(omp_unset_lock)
UNSET(omp_unset_lock_)
UNSET(omp_unset_nest_lock)
UNSET(omp_unset_nest_lock_)
TEST(omp_test_lock)
TEST(omp_test_lock_)
TEST(omp_test_nest_lock)
TEST(omp_test_nest_lock_)
DESTROY(omp_destroy_lock)
DESTROY(omp_destroy_lock_)
DESTROY(omp_destroy_nest_lock)
DESTROY(omp_destroy_nest_lock_)

/* The lock of a critical section's name. */
SET(GOMP_critical_name_start)
UNSET(GOMP_critical_name_end)

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

/* Of libgomp's flags of a task. */
enum { FINAL = 1 << 1, IF = 1 << 10, NOGROUP = 1 << 11, TASK_REDUCTION = 1 << 12, DETACH = 1 << 13 };
/* What a task of a name releases at its end, beside what its parent and its region wait for. */
enum { CHILDREN = 1, OVER = 2 };

/* The task is a final one. It has used the thread's part of a reduction. */
static __thread bool final, reduces;
/* What tasks release and acquire that use this thread's parts of reductions one after the other. */
static __thread uint64_t reductions;

/* What the thread was in before a task. */
struct outer {
    uint64_t region, task;
    bool final, reduces;
    void *thread;
};

static struct outer task_begin(uint64_t name, uint64_t children, uint64_t its_region, bool is_final)
{
    struct outer outer = {region, task, final, reduces, NULL};
    new_stack(__builtin_frame_address(0));
    outer.thread = race_task_begin(name);
    region = its_region;
    task = children;
    final = final || is_final;
    reduces = false;
    return outer;
}

/* `name`: what the task has begun by. Its children may go on. */
static void task_end(uint64_t parent, uint64_t name, const struct outer *outer)
{
    race_release_more(parent);
    race_release(region + TASKS);
    race_forget(task, 1);
    race_forget(name, 1);
    if (reduces)
        race_release(reductions);
    region = outer->region;
    task = outer->task;
    final = outer->final;
    reduces = outer->reduces;
    race_task_end(outer->thread);
    new_stack(__builtin_frame_address(0));
}

/* The task uses this thread's parts of reductions. */
static void begin_reduction(void)
{
    if (!reductions)
        reductions = race_fresh();
    reduces = true;
    race_acquire(reductions);
}

AROUND(GOMP_task_reduction_remap, (size_t n, size_t n_original, void **parts), (n, n_original, parts), NOTHING,
       begin_reduction())

/* Whether who makes a task waits for its end. */
static bool is_at_once(bool deferred) { return !deferred || final || !region; }

/* A task, with a copy of its data. */
struct task {
    void (*run)(void *);
    uint64_t name, region, parent;
    bool depends, waited_for, detached, final;
    void *data;
};

/* What libgomp copies. It stores the event of a task that has one in the first word. */
struct passed {
    void *event;
    struct task *task;
};

static void in_task(void *at)
{
    struct passed *passed = at;
    struct task *t = passed->task;
    struct outer outer = task_begin(t->name, t->name + CHILDREN, t->region, t->final);
    if (t->depends)
        tasks_over(t->region + DEPENDS);
    if (t->detached)
        *(void **)t->data = passed->event;
    t->run(t->data);
    if (t->depends)
        race_release(t->region + DEPENDS);
    if (t->waited_for)
        race_release(t->name + OVER);
    task_end(t->parent, t->name, &outer);
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
    uint64_t name = race_fresh();
    bool waits = is_at_once(deferred);
    race_new_memory(room, (size_t)size);
    *t = (struct task){fn, name, region, task, depend != NULL, waits, flags & DETACH, flags & FINAL, (void *)room};
    if (copy)
        copy(t->data, data);
    else
        memcpy(t->data, data, (size_t)size);
    race_release(name);
    race_release(task);
    struct passed passed = {NULL, t};
    REAL(GOMP_task)(in_task, &passed, NULL, sizeof passed, _Alignof(struct passed), deferred, flags, depend, priority,
                    detach);
    if (waits) {
        tasks_over(name + OVER);
        race_forget(name + OVER, 1);
    }
}

WEAK void omp_fulfill_event(uintptr_t event);
void __wrap_omp_fulfill_event(uintptr_t event)
{
    if (oshmpi_race_on) {
        __atomic_store_n(&events, true, __ATOMIC_RELAXED);
        race_release(EVENTS);
    }
    REAL(omp_fulfill_event)(event);
}

/* The tasks of a loop. libgomp stores a task's first iteration, and the one behind its last, in the first two words of
 * the task's copy. It looks for a reduction in the third. The program's data, of `size` bytes, stand `at` bytes behind
 * the begin. */
struct loop {
    uint64_t first, end;
    void *reduction;
    void (*run)(void *);
    void (*copy)(void *, void *);
    void *data;
    size_t at, size;
    uint64_t name, region, parent;
    bool final, at_once;
};

static void in_loop(void *copied)
{
    struct loop *l = copied;
    uint64_t *data = (uint64_t *)((char *)copied + l->at);
    struct outer outer = task_begin(l->name, race_fresh(), l->region, l->final);
    /* What earlier tasks did there is over. */
    race_new_memory((uintptr_t)data, l->size);
    data[0] = l->first;
    data[1] = l->end;
    if (l->at_once)
        race_acquire(l->name + OVER);
    if (l->reduction)
        begin_reduction();
    l->run(data);
    if (l->at_once)
        race_release(l->name + OVER);
    task_end(l->parent, 0, &outer);
}

static void copy_loop(void *to, void *from)
{
    struct loop *l = from;
    *(struct loop *)to = *l;
    race_new_memory((uintptr_t)to, l->at + l->size);
    l->copy((char *)to + l->at, l->data);
    race_release(l->name);
}

static size_t rounded(size_t n, size_t to) { return (n + to - 1) / to * to; }

#define TASKLOOP(loops, type)                                                                                        \
    typedef void type_##loops(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,   \
                             unsigned flags, unsigned long tasks, int priority, type start, type end, type step);    \
    WEAK type_##loops loops;                                                                                         \
    void __wrap_##loops(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,         \
                       unsigned flags, unsigned long tasks, int priority, type start, type end, type step)           \
    {                                                                                                                \
        size_t aligned = (size_t)align > _Alignof(struct loop) ? (size_t)align : _Alignof(struct loop);              \
        size_t at = rounded(sizeof(struct loop), aligned), whole = at + (size_t)size;                                \
        void *room = oshmpi_race_on ? aligned_alloc(aligned, rounded(whole, aligned)) : NULL;                        \
        if (!room) {                                                                                                 \
            REAL(loops)(fn, data, copy, size, align, flags, tasks, priority, start, end, step);                      \
            return;                                                                                                  \
        }                                                                                                            \
        void *reduction = flags & TASK_REDUCTION ? ((void **)data)[2] : NULL;                                        \
        bool at_once = is_at_once(flags & IF);                                                                       \
        struct loop *l = room;                                                                                       \
        *l = (struct loop){.reduction = reduction, .run = fn, .copy = copy, .data = data, .at = at,                  \
                           .size = (size_t)size, .name = race_fresh(), .region = region, .parent = task,             \
                           .final = flags & FINAL, .at_once = at_once};                                              \
        if (!copy)                                                                                                   \
            memcpy((char *)room + at, data, (size_t)size);                                                           \
        race_release(l->name);                                                                                       \
        race_release(task);                                                                                          \
        REAL(loops)(in_loop, room, copy ? copy_loop : NULL, (long)whole, (long)aligned, flags, tasks, priority,      \
                   start, end, step);                                                                                \
        if (at_once)                                                                                                 \
            tasks_over(l->name + OVER);                                                                              \
        if (!(flags & NOGROUP))                                                                                      \
            tasks_over(region + TASKS);                                                                              \
        if (at_once || !(flags & NOGROUP))                                                                           \
            race_forget(l->name, OVER + 1);                                                                          \
        free(room);                                                                                                  \
    }
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
