/* The recorder of `oshrun --profile` and `--trace`: sums per thread while the program runs, one text file per PE at its
 * end. A thread writes to its own tables only, so no call takes a lock except those that change the heap.
 *
 * Memory of a PE: one entry for each peer and class that it has moved data with, one for each call site, and at most
 * EVENTS calls per thread. A thread goes on with the tables of one that has ended. Nothing grows with the number of
 * PEs as such.
 *
 * Classes: P put, G get, A atomic operation or signal, W wait, B barrier or sync, C collective, O fence or quiet,
 * L lock, M symmetric heap, T team or context, I start and end.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* An entry of a table, found by `key`: a call site and its routine, or a peer and a class. */
struct sum {
    uint64_t key, calls, bytes, ticks, longest;
    void *site;
    int routine;
};

/* Open addressing; the capacity is a power of two, at most half full. Key 0 is a free entry. */
struct table {
    struct sum *sums;
    size_t capacity, used;
};

/* A long call, for the trace. */
struct event {
    uint64_t begin, ticks, bytes;
    void *site;
    int routine, pe;
};

enum { EVENTS = 4096, SAMPLES = 512 };

struct thread {
    struct table sites, peers;
    struct event events[EVENTS];
    size_t n_events;
    /* Shorter calls are no events. Doubles when the events are full. */
    uint64_t shortest;
    int number, ended;
    struct thread *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *threads;
static __thread struct thread *mine;
/* Tells when a thread ends. */
static pthread_key_t ends;
static int ends_are_told;
/* Whether calls are recorded: from start to end, unless shmem_pcontrol(0) says otherwise. */
static volatile int on;
static int started, me, n_pes, node;
static pid_t pid;
static uint64_t begin_ticks;
static struct timespec begin_time;
/* The heap: blocks by address, bytes in use, and the use over time. */
static struct table blocks;
static struct { uint64_t ticks, bytes; } samples[SAMPLES];
static size_t n_samples, skipped, every = 1;
static uint64_t in_use;

static struct sum *entry(struct table *t, uint64_t key)
{
    if (2 * (t->used + 1) > t->capacity) {
        struct table larger = { 0 };
        larger.capacity = t->capacity ? 2 * t->capacity : 64;
        larger.sums = calloc(larger.capacity, sizeof *larger.sums);
        if (!larger.sums)
            abort();
        for (size_t i = 0; i < t->capacity; i++)
            if (t->sums[i].key)
                *entry(&larger, t->sums[i].key) = t->sums[i];
        larger.used = t->used;
        free(t->sums);
        *t = larger;
    }
    size_t i = (key * 0x9e3779b97f4a7c15u) >> 20 & (t->capacity - 1);
    while (t->sums[i].key && t->sums[i].key != key)
        i = (i + 1) & (t->capacity - 1);
    if (!t->sums[i].key) {
        t->sums[i].key = key;
        t->used++;
    }
    return &t->sums[i];
}

static void end(void *at)
{
    struct thread *t = at;
    mine = NULL;
    pthread_mutex_lock(&lock);
    t->ended = 1;
    pthread_mutex_unlock(&lock);
}

/* The tables of a thread that has ended, or null. */
static struct thread *left(void)
{
    pthread_mutex_lock(&lock);
    struct thread *t = threads;
    while (t && !t->ended)
        t = t->next;
    if (t)
        t->ended = 0;
    pthread_mutex_unlock(&lock);
    return t;
}

static struct thread *this_thread(void)
{
    if (!mine) {
        struct thread *t = left();
        if (!t) {
            t = calloc(1, sizeof *t);
            if (!t)
                abort();
            t->shortest = 10000; /* a few microseconds */
            pthread_mutex_lock(&lock);
            t->number = threads ? threads->number + 1 : 0;
            t->next = threads;
            threads = t;
            pthread_mutex_unlock(&lock);
        }
        mine = t;
        if (ends_are_told)
            pthread_setspecific(ends, t);
    }
    return mine;
}

static void add(struct sum *s, uint64_t bytes, uint64_t ticks)
{
    s->calls++;
    s->bytes += bytes;
    s->ticks += ticks;
    if (ticks > s->longest)
        s->longest = ticks;
}

static void event(struct thread *t, struct event e)
{
    if (t->n_events == EVENTS) {
        /* Keeps the long ones. Where all are equally long, every second one goes. */
        t->shortest *= 2;
        size_t kept = 0;
        for (size_t i = 0; i < EVENTS; i++)
            if (t->events[i].ticks >= t->shortest)
                t->events[kept++] = t->events[i];
        if (kept > EVENTS / 2) {
            for (size_t i = 0; 2 * i < kept; i++)
                t->events[i] = t->events[2 * i];
            kept = (kept + 1) / 2;
        }
        t->n_events = kept;
    }
    t->events[t->n_events++] = e;
}

static uint64_t peer_key(int pe, char kind)
{
    return (uint64_t)(pe + 1) << 8 | (unsigned char)kind;
}

void recorder_note(int routine, uint64_t begin, uint64_t bytes, int pe, void *site)
{
    /* The CPU may read its clock out of order, and so the end of a short call before the begin. */
    uint64_t now = recorder_ticks(), ticks = now > begin ? now - begin : 0;
    if (!on)
        return;
    struct thread *t = this_thread();
    struct sum *s = entry(&t->sites, (uint64_t)(uintptr_t)site << 12 ^ (uint64_t)(routine + 1));
    s->site = site;
    s->routine = routine;
    add(s, bytes, ticks);
    if (pe >= 0)
        add(entry(&t->peers, peer_key(pe, recorder_routines[routine].kind)), bytes, ticks);
    if (ticks >= t->shortest)
        event(t, (struct event){ begin, ticks, bytes, site, routine, pe });
}

int recorder_world_pe(shmem_ctx_t ctx, int pe)
{
    shmem_team_t team;
    if (ctx == SHMEM_CTX_DEFAULT || pshmem_ctx_get_team(ctx, &team) != 0)
        return pe;
    return team == SHMEM_TEAM_WORLD ? pe : pshmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD);
}

void recorder_start(void)
{
    int up = 0;
    if (started || !getenv("OSHRUN_PROFILE_DIR"))
        return;
    /* An init may fail, and the program go on without the library. */
    pshmem_query_initialized(&up);
    if (!up)
        return;
    started = 1;
    ends_are_told = pthread_key_create(&ends, end) == 0;
    pid = getpid();
    me = pshmem_my_pe();
    n_pes = pshmem_n_pes();
    node = pshmem_team_translate_pe(SHMEM_TEAM_SHARED, 0, SHMEM_TEAM_WORLD);
    clock_gettime(CLOCK_MONOTONIC, &begin_time);
    begin_ticks = recorder_ticks();
    on = 1;
}

/* Notes the use of the heap if calls are recorded. The caller holds the lock. */
static void sample(void)
{
    if (!on || ++skipped < every)
        return;
    skipped = 0;
    if (n_samples == SAMPLES) {
        for (size_t i = 0; i < SAMPLES / 2; i++)
            samples[i] = samples[2 * i];
        n_samples = SAMPLES / 2;
        every *= 2;
    }
    samples[n_samples].ticks = recorder_ticks();
    samples[n_samples++].bytes = in_use;
}

void recorder_switch(int level)
{
    pthread_mutex_lock(&lock);
    int was = on;
    on = started && level != 0;
    if (!was)
        sample();
    pthread_mutex_unlock(&lock);
}

/* Blocks are counted while recording is off, too, so that the use is right afterwards. */
void recorder_allocated(void *block, size_t bytes)
{
    if (!started || !block)
        return;
    pthread_mutex_lock(&lock);
    struct sum *s = entry(&blocks, (uint64_t)(uintptr_t)block);
    in_use += bytes - s->bytes;
    s->bytes = bytes;
    sample();
    pthread_mutex_unlock(&lock);
}

void recorder_freed(void *block)
{
    if (!started || !block)
        return;
    pthread_mutex_lock(&lock);
    struct sum *s = entry(&blocks, (uint64_t)(uintptr_t)block);
    in_use -= s->bytes;
    s->bytes = 0;
    sample();
    pthread_mutex_unlock(&lock);
}

/* The file that a call site lies in, the address that the file itself gives to the place, and the symbol there. */
static void print_site(FILE *f, void *site)
{
    Dl_info info;
    struct link_map *map = NULL;
    /* The call stands before the place to which it returns. */
    char *call = (char *)site - 1;
    int found = dladdr1(call, &info, (void **)&map, RTLD_DL_LINKMAP) && map;
    /* The program itself has an empty name. */
    char program[4096] = "", *path = found && *map->l_name ? map->l_name : program;
    if (path == program && readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        *program = 0;
    if (found && *path && !strpbrk(path, "\t\n"))
        fprintf(f, "\t%s\t%tx\t%s", path, call - (char *)map->l_addr,
                info.dli_sname ? info.dli_sname : "?");
    else
        fprintf(f, "\t?\t0\t?");
}

/* Lines of words with tabs between; oshrun reads them (tools/src/oshrun/profile/parts.rs). */
void recorder_write(void)
{
    const char *dir = getenv("OSHRUN_PROFILE_DIR");
    /* A process that a PE has forked is no PE. */
    if (!started || !dir || getpid() != pid)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double ns = 1e9 * (double)(now.tv_sec - begin_time.tv_sec) + (double)(now.tv_nsec - begin_time.tv_nsec);
    double per_tick = ns / (double)(recorder_ticks() - begin_ticks);

    char path[4096], host[256] = "?";
    gethostname(host, sizeof host - 1);
    snprintf(path, sizeof path, "%s/pe-%d", dir, me);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "oshmpi[%d]: the profile cannot be written to %s: %m\n", me, path);
        return;
    }
    fprintf(f, "pe\t%d\t%d\t%d\t%s\t%.0f\n", me, n_pes, node, host, ns);
    pthread_mutex_lock(&lock);
    for (struct thread *t = threads; t; t = t->next) {
        for (size_t i = 0; i < t->sites.capacity; i++) {
            struct sum *s = &t->sites.sums[i];
            if (!s->key)
                continue;
            const struct recorder_routine *r = &recorder_routines[s->routine];
            fprintf(f, "site\t%s\t%c\t%llu\t%llu\t%.0f\t%.0f", r->name, r->kind, (unsigned long long)s->calls,
                    (unsigned long long)s->bytes, per_tick * (double)s->ticks, per_tick * (double)s->longest);
            print_site(f, s->site);
            fputc('\n', f);
        }
        for (size_t i = 0; i < t->peers.capacity; i++) {
            struct sum *s = &t->peers.sums[i];
            if (s->key)
                fprintf(f, "peer\t%d\t%c\t%llu\t%llu\n", (int)(s->key >> 8) - 1, (char)(s->key & 0xff),
                        (unsigned long long)s->calls, (unsigned long long)s->bytes);
        }
        for (size_t i = 0; i < t->n_events; i++) {
            struct event *e = &t->events[i];
            const struct recorder_routine *r = &recorder_routines[e->routine];
            fprintf(f, "event\t%s\t%c\t%d\t%.0f\t%.0f\t%llu\t%d", r->name, r->kind, t->number,
                    per_tick * (double)(int64_t)(e->begin - begin_ticks), per_tick * (double)e->ticks,
                    (unsigned long long)e->bytes, e->pe);
            print_site(f, e->site);
            fputc('\n', f);
        }
    }
    for (size_t i = 0; i < n_samples; i++)
        fprintf(f, "heap\t%.0f\t%llu\n", per_tick * (double)(samples[i].ticks - begin_ticks),
                (unsigned long long)samples[i].bytes);
    pthread_mutex_unlock(&lock);
    fprintf(f, "end\n");
    if (fclose(f) != 0)
        fprintf(stderr, "oshmpi[%d]: the profile cannot be written to %s: %m\n", me, path);
}

/* A program may end without shmem_finalize. */
__attribute__((destructor)) static void at_exit(void)
{
    recorder_write();
}
