/* One misuse per run, named by the argument, of kinds that the other misuse programs leave out: the job must end
 * with one line, or go on after a warning. Pointers from shmem_ptr, variables of shared libraries, allocator calls
 * and splits that differ between PEs, lengths that differ between nodes, threads that the level forbids, things left
 * at the end.
 * rules: 33 34 37 62 81 86 U6 U9 U20 U26 U30 U34 U36 U46 U47 U53 U58 */
#define _GNU_SOURCE
#include "cases.h"

#include <fcntl.h>
#include <pthread.h>

static long words[64];
static long *heap, *here; /* symmetric, private */
static int last;          /* whether this is the last PE */

/* The last PE alone. */
MISUSE(ptr_put, "oshmpi[1]: shmem_long_put: dest 0x", "is a pointer from shmem_ptr (to PE 0)")
    { shmem_long_put(shmem_ptr(heap, 0), here, 1, 0); }
MISUSE(ptr_static, "shmem_long_get: source 0x", "is a pointer from shmem_ptr (to PE 0)")
    { shmem_long_get(here, shmem_ptr(words, 0), 1, 0); }
MISUSE(ptr_amo, "shmem_long_atomic_inc: dest 0x", "is a pointer from shmem_ptr")
    { shmem_long_atomic_inc(shmem_ptr(heap, 0), 0); }
MISUSE(ptr_collective, "shmem_long_fcollect: dest 0x", "is a pointer from shmem_ptr")
    { shmem_long_fcollect(SHMEM_TEAM_WORLD, shmem_ptr(heap, 0), words, 1); }
MISUSE(library, "shmem_putmem: dest 0x", "is not symmetric", "it lies in ", "libc")
    { shmem_putmem(stdout, here, 1, 0); }
MISUSE(overlap_get, "shmem_long_get: ", "overlap") { shmem_long_get(words + 1, words, 4, t_me); }

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
MISUSE_OF_ALL(malloc_sizes, "oshmpi[1]: shmem_malloc: the PEs must call it alike: PE ", "4000", "4096")
    { shmem_malloc(last ? 4096 : 4000); }
MISUSE_OF_ALL(malloc_and_calloc, ": the PEs must call it alike: PE ", "is in another call")
{
    if (last)
        shmem_calloc(8, 8);
    else
        shmem_malloc(64);
}
/* What another collective has said in the same place is no call of an allocator. */
MISUSE_OF_ALL(malloc_and_split, "shmem_malloc: the PEs must call it alike: PE 0 is in another call")
{
    shmem_team_t team;
    if (last)
        shmem_malloc(64);
    else
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &team);
}
MISUSE_OF_ALL(malloc_and_free, "oshmpi[1]: shmem_free: the PEs must call it alike: PE ", "is in another call")
{
    if (last)
        shmem_free(heap);
    else
        shmem_malloc(64);
}
MISUSE_OF_ALL(align_differs, "oshmpi[1]: shmem_align: the PEs must call it alike", "64", "128")
    { shmem_align(last ? 64 : 128, 1000); }
MISUSE_OF_ALL(calloc_differs, "oshmpi[1]: shmem_calloc: the PEs must call it alike", "400", "500")
    { shmem_calloc(last ? 5 : 4, 100); }
MISUSE_OF_ALL(realloc_differs, "oshmpi[1]: shmem_realloc: the PEs must call it alike", "1000", "2000")
    { shmem_realloc(heap, last ? 2000 : 1000); }
MISUSE_OF_ALL(free_others, "oshmpi[1]: shmem_free: the PEs must call it alike")
{
    long *second = t_malloc(64);
    shmem_free(last ? second : heap);
}
MISUSE_OF_ALL(other_length, "oshmpi[1]: shmem_long_sum_reduce: ", "8 bytes came from PE 0 where 4800 were expected")
    { shmem_long_sum_reduce(SHMEM_TEAM_WORLD, heap, heap, last ? 600 : 1); }

/* From another thread of the last PE, below SHMEM_THREAD_SERIALIZED. */
#define MISUSE_THERE(NAME, TEXT, CALL)               \
    T_THREAD(call_##NAME, CALL)                      \
    MISUSE(NAME) { t_threads(1, call_##NAME); }
static shmem_team_t team, made; /* the first is of all */
static shmem_ctx_t ctx;
MISUSE_THERE(there_put, "oshmpi[1]: shmem_long_p: ", shmem_long_p(words, 1, 0))
MISUSE_THERE(there_get, "shmem_getmem: ", shmem_getmem(here, words, 8, 0))
MISUSE_THERE(there_amo, "shmem_long_atomic_add: ", shmem_long_atomic_add(words, 1, 0))
MISUSE_THERE(there_quiet, "shmem_quiet: ", shmem_quiet())
MISUSE_THERE(there_test, "shmem_long_test: ", shmem_long_test(words, SHMEM_CMP_EQ, 1))
MISUSE_THERE(there_signal, "shmem_signal_set: ", shmem_signal_set((uint64_t *)words, 1, 0))
MISUSE_THERE(there_lock, "shmem_set_lock: ", shmem_set_lock(words))
MISUSE_THERE(there_collective, "shmem_long_sum_reduce: ", shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, words + 8, 1))
MISUSE_THERE(there_team_destroy, "oshmpi[1]: shmem_team_destroy: ", shmem_team_destroy(team))
MISUSE_THERE(there_malloc, "shmem_malloc: ", shmem_malloc(64))
MISUSE_THERE(there_split, "shmem_team_split_strided: ",
              shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &made))
MISUSE_THERE(there_ctx, "shmem_ctx_create: ", shmem_ctx_create(0, &ctx))
MISUSE_THERE(there_init, "shmem_init: ", shmem_init())
MISUSE_THERE(there_finalize, "oshmpi[1]: shmem_finalize: called by another thread than the one that initialised",
              shmem_finalize())

/* Two threads of the last PE in calls at the same time, at SHMEM_THREAD_SERIALIZED. */
static void *call_gets(void *arg)
{
    long there[64];
    for (;;)
        shmem_getmem(there, words, sizeof there, 0);
    return arg;
}
MISUSE(at_once, "oshmpi[1]: shmem_getmem: two threads are in calls at the same time")
{
    t_threads(2, call_gets);
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
MISUSE(warn_in_turns)
{
    t_threads(2, call_in_turn);
    shmem_barrier_all();
    if (t_me == 0)
        CHECK_EQ(words[0], 4000L * t_npes);
}

/* All, and the job goes on. */
MISUSE(warn_hints, "shmem_malloc_with_hints: hints 0x101")
{
    long *p = shmem_malloc_with_hints(64, 0x100 | SHMEM_MALLOC_ATOMICS_REMOTE);
    CHECK(p != NULL);
    shmem_free(p);
}
MISUSE(warn_split, "shmem_team_split_strided: PE 1 called it with other arguments than PE 0")
{
    shmem_team_t team = SHMEM_TEAM_WORLD;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, last ? 1 : t_npes, NULL, 0, &team) != 0);
    CHECK(team == SHMEM_TEAM_INVALID);
}
MISUSE(warn_block, "shmem_finalize: 1 symmetric blocks") { shmem_malloc(100); }
MISUSE(warn_team, "shmem_finalize: teams that were not destroyed: 1")
{
    shmem_team_t team;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
}
MISUSE(warn_private, "shmem_finalize: a SHMEM_CTX_PRIVATE context was not destroyed")
{
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
}
/* Shareable contexts end with finalize: nothing to complain of. */
MISUSE(warn_shareable)
{
    shmem_ctx_t ctx[2];
    CHECK_EQ(shmem_ctx_create(0, &ctx[0]), 0);
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx[1]), 0);
}
/* It returns from main, and finalizes no more. */
MISUSE(warn_no_finalize, "exit: the program ends without shmem_finalize") { exit(t_agree()); }

/* The second argument is the thread level. */
int main(int argc, char **argv)
{
    long on_stack[8] = {0};
    const struct t_case *c = t_case(argc > 1 ? argv[1] : "");
    t_init_thread(argc > 2 ? atoi(argv[2]) : SHMEM_THREAD_SINGLE); /* more would allow what is wrong */
    here = on_stack;
    last = t_me == t_npes - 1;
    if (strncmp(c->name, "warn", 4)) {
        heap = t_malloc(8000);
        if (!c->of_all) /* the others would not come to a split */
            CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    }
    shmem_barrier_all();
    if (c->of_all)
        only_last_speaks();
    return t_misuse(c->name);
}
