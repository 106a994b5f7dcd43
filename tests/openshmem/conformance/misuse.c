/* One misuse per run, named by the argument, of kinds that the other misuse programs leave out: the job must end
 * with one line, or go on after a warning. Pointers from shmem_ptr, variables of shared libraries, allocator calls
 * and splits that differ between PEs, lengths that differ between nodes, threads that the level forbids, things left
 * at the end. tests.list has the sentence for each.
 * rules: 33 34 37 62 81 86 U6 U9 U20 U26 U30 U34 U36 U46 U47 U53 U58 */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <pthread.h>

static long words[64];
static long *heap, *here; /* symmetric, private */
static int last;          /* whether this is the last PE */

/* The last PE alone. */
static void ptr_put(void) { shmem_long_put(shmem_ptr(heap, 0), here, 1, 0); }
static void ptr_static(void) { shmem_long_get(here, shmem_ptr(words, 0), 1, 0); }
static void ptr_amo(void) { shmem_long_atomic_inc(shmem_ptr(heap, 0), 0); }
static void ptr_collective(void) { shmem_long_fcollect(SHMEM_TEAM_WORLD, shmem_ptr(heap, 0), words, 1); }
static void library(void) { shmem_putmem(stdout, here, 1, 0); }
static void overlap_get(void) { shmem_long_get(words + 1, words, 4, t_me); }

/* All, and not alike. Every PE sees it and says so; the sentence looked for is the last one's, so the others are
 * made to wait for the end: their stderr is a pipe that takes no more. */
static void only_last_speaks(void)
{
    int ends[2];
    if (last || pipe2(ends, O_NONBLOCK) || dup2(ends[1], 2) < 0)
        return;
    while (write(2, words, sizeof words) > 0)
        ;
    fcntl(2, F_SETFL, 0);
}
static void malloc_sizes(void) { shmem_malloc(last ? 4096 : 4000); }
static void malloc_and_calloc(void)
{
    if (last)
        shmem_calloc(8, 8);
    else
        shmem_malloc(64);
}
/* What another collective has said in the same place is no call of an allocator. */
static void malloc_and_split(void)
{
    shmem_team_t team;
    if (last)
        shmem_malloc(64);
    else
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &team);
}
static void malloc_and_free(void)
{
    if (last)
        shmem_free(heap);
    else
        shmem_malloc(64);
}
static void align_differs(void) { shmem_align(last ? 64 : 128, 1000); }
static void calloc_differs(void) { shmem_calloc(last ? 5 : 4, 100); }
static void realloc_differs(void) { shmem_realloc(heap, last ? 2000 : 1000); }
static void free_others(void)
{
    long *second = t_malloc(64);
    shmem_free(last ? second : heap);
}
static void other_length(void) { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, heap, heap, last ? 600 : 1); }

/* From another thread of the last PE, below SHMEM_THREAD_SERIALIZED. */
static void elsewhere(void *(*act)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, act, NULL);
    pthread_join(thread, NULL);
}
#define ELSEWHERE(NAME, CALL)                                               \
    static void *call_##NAME(void *arg) { return (void)(CALL), arg; }       \
    static void NAME##_there(void) { elsewhere(call_##NAME); }
static shmem_team_t team, made; /* the first is of all */
static shmem_ctx_t ctx;
ELSEWHERE(put, shmem_long_p(words, 1, 0))
ELSEWHERE(get, shmem_getmem(here, words, 8, 0))
ELSEWHERE(amo, shmem_long_atomic_add(words, 1, 0))
ELSEWHERE(quiet, shmem_quiet())
ELSEWHERE(test, shmem_long_test(words, SHMEM_CMP_EQ, 1))
ELSEWHERE(signal, shmem_signal_set((uint64_t *)words, 1, 0))
ELSEWHERE(lock, shmem_set_lock(words))
ELSEWHERE(collective, shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, words + 8, 1))
ELSEWHERE(team_destroy, shmem_team_destroy(team))
ELSEWHERE(malloc, shmem_malloc(64))
ELSEWHERE(split, shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &made))
ELSEWHERE(ctx, shmem_ctx_create(0, &ctx))
ELSEWHERE(init, shmem_init())
ELSEWHERE(finalize, shmem_finalize())

/* Two threads of the last PE in calls at the same time, at SHMEM_THREAD_SERIALIZED. */
static void *call_gets(void *arg)
{
    long there[64];
    for (;;)
        shmem_getmem(there, words, sizeof there, 0);
    return arg;
}
static void at_once(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, call_gets, NULL);
    call_gets(NULL);
}
/* In turns is right: with a lock of the program's own around the calls. */
static void *call_in_turn(void *arg)
{
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 2000; i++) {
        pthread_mutex_lock(&turn);
        shmem_long_atomic_inc(words, 0);
        shmem_quiet();
        pthread_mutex_unlock(&turn);
    }
    return arg;
}
static void in_turns(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, call_in_turn, NULL);
    call_in_turn(NULL);
    pthread_join(thread, NULL);
    shmem_barrier_all();
    if (t_me == 0)
        CHECK_EQ(words[0], 4000L * t_npes);
}

/* All, and the job goes on. */
static void warn_hints(void)
{
    long *p = shmem_malloc_with_hints(64, 0x100 | SHMEM_MALLOC_ATOMICS_REMOTE);
    CHECK(p != NULL);
    shmem_free(p);
}
static void warn_split(void)
{
    shmem_team_t team = SHMEM_TEAM_WORLD;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, last ? 1 : t_npes, NULL, 0, &team) != 0);
    CHECK(team == SHMEM_TEAM_INVALID);
}
static void left_block(void) { shmem_malloc(100); }
static void left_team(void)
{
    shmem_team_t team;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
}
static void left_private(void)
{
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
}
/* Shareable contexts end with finalize: nothing to complain of. */
static void left_shareable(void)
{
    shmem_ctx_t ctx[2];
    CHECK_EQ(shmem_ctx_create(0, &ctx[0]), 0);
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx[1]), 0);
}
static void nothing(void) {}

enum { ALONE, ALL, WARN, EXIT };
static const struct {
    const char *name;
    void (*act)(void);
    int who;
    int level;
} cases[] = {
#define CASE(name, who) {#name, name, who, SHMEM_THREAD_SINGLE}
#define THERE(name, level) {#name, name##_there, ALONE, level}
    CASE(ptr_put, ALONE), CASE(ptr_static, ALONE), CASE(ptr_amo, ALONE), CASE(ptr_collective, ALONE),
    CASE(library, ALONE), CASE(overlap_get, ALONE), CASE(malloc_sizes, ALL), CASE(malloc_and_free, ALL),
    CASE(malloc_and_calloc, ALL), CASE(malloc_and_split, ALL), CASE(align_differs, ALL), CASE(calloc_differs, ALL),
    CASE(realloc_differs, ALL), CASE(free_others, ALL), CASE(other_length, ALL),
    THERE(put, SHMEM_THREAD_FUNNELED), THERE(get, SHMEM_THREAD_SINGLE), THERE(amo, SHMEM_THREAD_FUNNELED),
    THERE(quiet, SHMEM_THREAD_FUNNELED), THERE(test, SHMEM_THREAD_FUNNELED), THERE(signal, SHMEM_THREAD_SINGLE),
    THERE(malloc, SHMEM_THREAD_FUNNELED), THERE(split, SHMEM_THREAD_SINGLE), THERE(ctx, SHMEM_THREAD_FUNNELED),
    THERE(init, SHMEM_THREAD_FUNNELED), THERE(lock, SHMEM_THREAD_FUNNELED), THERE(collective, SHMEM_THREAD_FUNNELED),
    THERE(team_destroy, SHMEM_THREAD_FUNNELED), THERE(finalize, SHMEM_THREAD_MULTIPLE),
    {"finalize_single", finalize_there, ALONE, SHMEM_THREAD_SINGLE}, CASE(warn_hints, WARN), CASE(warn_split, WARN),
    CASE(left_block, WARN),
    {"at_once", at_once, ALONE, SHMEM_THREAD_SERIALIZED}, {"in_turns", in_turns, WARN, SHMEM_THREAD_SERIALIZED},
    CASE(left_team, WARN), CASE(left_private, WARN), CASE(left_shareable, WARN), {"no_finalize", nothing, EXIT, 0},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const unsigned n = sizeof cases / sizeof *cases;
    long on_stack[8] = {0};
    unsigned c = 0;
    int provided = -1, code;
    while (c < n && strcmp(cases[c].name, name))
        c++;
    if (c == n) {
        fputs("no such misuse\n", stderr);
        return 2;
    }
    t_alarm();
    CHECK_EQ(shmem_init_thread(cases[c].level, &provided), 0);
    CHECK_EQ(provided, cases[c].level); /* more would allow what is wrong */
    t_begin();
    heap = t_malloc(8000);
    here = on_stack;
    last = t_me == t_npes - 1;
    if (cases[c].who == ALONE) /* the others would not come to a split */
        CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    shmem_barrier_all();
    if (cases[c].who == ALL)
        only_last_speaks();
    if (cases[c].who != ALONE || last)
        cases[c].act();
    if (cases[c].who == ALONE || cases[c].who == ALL) {
        if (last || cases[c].who == ALL)
            fputs("the misuse went through\n", stderr);
        shmem_barrier_all();
        return 0;
    }
    shmem_free(heap);
    code = t_agree();
    if (cases[c].who != EXIT)
        shmem_finalize();
    return code;
}
