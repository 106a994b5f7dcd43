/* OpenMP of clang's runtime, which calls these functions (OMPT, OpenMP 5.0). What is declared here is the standard's
 * interface; its header comes with the runtime, which need not be installed where this is built. */

#include "tasks.h"
#include <stdlib.h>

union data {
    uint64_t value;
    void *ptr;
};

enum event {
    PARALLEL_BEGIN = 3,
    PARALLEL_END = 4,
    TASK_CREATE = 5,
    TASK_SCHEDULE = 6,
    IMPLICIT_TASK = 7,
    MUTEX_RELEASED = 17,
    SYNC_REGION = 23,
    MUTEX_ACQUIRED = 27
};
enum endpoint { BEGIN = 1, END = 2 };
enum kind { TASKWAIT = 5, TASKGROUP = 6, REDUCTION = 7 };
enum { TASK_INITIAL = 1, TASK_EXPLICIT = 4, TASK_UNDEFERRED = 1 << 27, COMPLETE = 1, CANCELLED = 3 };

/* A task. `name`: what it acquires when it begins, and what its parent acquires at its end if the parent waits for it
 * (`undeferred`); name + 1: what its children release. */
struct task {
    uint64_t name, region, parent, barriers;
    int begun, depends, undeferred;
    void *before;
};

static void parallel_begin(union data *task, const void *frame, union data *region, unsigned wanted, int flags,
                           const void *pc)
{
    (void)task, (void)frame, (void)wanted, (void)flags, (void)pc;
    if (!oshmpi_race_on)
        return;
    region->value = race_fresh();
    race_many();
    race_release(region->value + FORK);
}

static void parallel_end(union data *region, union data *task, int flags, const void *pc)
{
    (void)task, (void)flags, (void)pc;
    if (!oshmpi_race_on || !region->value)
        return;
    for (int i = 0; i < BARRIER_NAMES; i++)
        race_acquire(region->value + BARRIERS + i);
    race_acquire(region->value + TASKS);
    race_forget(region->value, NAMES);
}

static void implicit_task(enum endpoint endpoint, union data *region, union data *task, unsigned threads,
                          unsigned index, int flags)
{
    (void)threads, (void)index;
    if (flags & TASK_INITIAL)
        return;
    if (endpoint == END) {
        struct task *t = task->ptr;
        if (t && oshmpi_race_on)
            race_forget(t->name + 1, 1);
        free(t);
        task->ptr = NULL;
    } else if (oshmpi_race_on && region && region->value && (task->ptr = calloc(1, sizeof(struct task)))) {
        struct task *t = task->ptr;
        t->name = race_fresh();
        t->region = region->value;
        t->begun = 1;
        race_acquire(t->region + FORK);
    }
}

static void sync_region(enum kind kind, enum endpoint endpoint, union data *region, union data *task, const void *pc)
{
    struct task *t = task ? task->ptr : NULL;
    (void)region, (void)pc;
    if (!oshmpi_race_on || !t || kind == REDUCTION)
        return;
    if (kind == TASKWAIT || kind == TASKGROUP) {
        if (endpoint == END)
            race_acquire(kind == TASKWAIT ? t->name + 1 : t->region + TASKS);
        return;
    }
    uint64_t round = t->region + BARRIERS + t->barriers % BARRIER_NAMES;
    if (endpoint == BEGIN) {
        race_release(round);
    } else {
        t->barriers++;
        race_acquire(round);
        race_acquire(t->region + TASKS);
    }
}

static void mutex_acquired(int kind, uint64_t lock, const void *pc)
{
    (void)kind, (void)pc;
    if (oshmpi_race_on)
        race_acquire(lock);
}

static void mutex_released(int kind, uint64_t lock, const void *pc)
{
    (void)kind, (void)pc;
    if (oshmpi_race_on)
        race_release(lock);
}

static void task_create(union data *from, const void *frame, union data *task, int flags, int depends, const void *pc)
{
    struct task *parent = from ? from->ptr : NULL;
    (void)frame, (void)pc;
    if (!oshmpi_race_on || !(flags & TASK_EXPLICIT) || !parent || !(task->ptr = calloc(1, sizeof(struct task))))
        return;
    struct task *t = task->ptr;
    t->name = race_fresh();
    t->region = parent->region;
    t->parent = parent->name + 1;
    t->depends = depends;
    t->undeferred = (flags & TASK_UNDEFERRED) != 0;
    race_release(t->name);
    race_release(t->parent);
}

static void task_schedule(union data *from, int status, union data *to)
{
    struct task *prior = from ? from->ptr : NULL, *next = to ? to->ptr : NULL;
    if (!oshmpi_race_on)
        return;
    if ((status == COMPLETE || status == CANCELLED) && prior && prior->parent && prior->begun) {
        if (prior->depends)
            race_release(prior->region + DEPENDS);
        race_release_more(prior->parent);
        race_release(prior->region + TASKS);
        if (prior->undeferred)
            race_release(prior->name);
        race_task_end(prior->before);
        if (prior->undeferred)
            race_acquire(prior->name);
        race_forget(prior->name, 2);
        new_stack(__builtin_frame_address(0));
        free(prior);
        from->ptr = NULL;
    }
    if (next && !next->begun) {
        next->begun = 1;
        new_stack(__builtin_frame_address(0));
        next->before = race_task_begin(next->name);
        if (next->depends)
            race_acquire(next->region + DEPENDS);
    }
}

static int initialize(void (*(*lookup)(const char *))(void), int device, union data *tool)
{
    int (*set)(enum event, void (*)(void)) = (int (*)(enum event, void (*)(void)))lookup("ompt_set_callback");
    (void)device, (void)tool;
    if (!set)
        return 0;
    set(PARALLEL_BEGIN, (void (*)(void))parallel_begin);
    set(PARALLEL_END, (void (*)(void))parallel_end);
    set(IMPLICIT_TASK, (void (*)(void))implicit_task);
    set(SYNC_REGION, (void (*)(void))sync_region);
    set(MUTEX_ACQUIRED, (void (*)(void))mutex_acquired);
    set(MUTEX_RELEASED, (void (*)(void))mutex_released);
    set(TASK_CREATE, (void (*)(void))task_create);
    set(TASK_SCHEDULE, (void (*)(void))task_schedule);
    return 1;
}

static void finalize(union data *tool) { (void)tool; }

struct start {
    int (*initialize)(void (*(*)(const char *))(void), int, union data *);
    void (*finalize)(union data *);
    union data tool;
};

/* The runtime looks for this name when it starts. */
struct start *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct start start = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &start;
}
