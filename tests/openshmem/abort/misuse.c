/* One misuse per run, named by the argument, by the last PE alone while the others wait in a barrier: the job must end
 * with one line that names routine, argument and value. tests.list has the sentence for each.
 * rules: 51 53 55 56 78 U1 U2 U3 U4 U5 U7 U8 U9 U14 U15 U16 U29 U31 U32 U56 */
#include "check.h"

#include <limits.h>

static long word, words[64];
static const long constant = 3;
static long *heap;  /* 64 longs */
static char *block; /* 1 MiB */

/* Misuses before init and after finalize. */
static void o_malloc(void) { shmem_malloc(8); }
static void o_my_pe(void) { shmem_my_pe(); }
static void o_n_pes(void) { shmem_n_pes(); }
static void o_put(void) { shmem_long_put(words, words + 32, 1, 0); }
static void o_p(void) { shmem_long_p(words, 1, 0); }
static void o_g(void) { shmem_long_g(words, 0); }
static void o_get_nbi(void) { shmem_getmem_nbi(words, words + 32, 1, 0); }
static void o_add(void) { shmem_int_atomic_add((int *)words, 1, 0); }
static void o_fetch(void) { shmem_double_atomic_fetch((double *)words, 0); }
static void o_barrier(void) { shmem_barrier_all(); }
static void o_quiet(void) { shmem_quiet(); }
static void o_fence(void) { shmem_fence(); }
/* In a running library these do nothing. */
static void o_ctx_quiet(void) { shmem_ctx_quiet(SHMEM_CTX_INVALID); }
static void o_ctx_fence(void) { shmem_ctx_fence(SHMEM_CTX_INVALID); }
static void o_ctx_pe_quiet(void) { shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, NULL, 0); }
static void o_session_start(void) { shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, NULL, 0); }
static void o_session_stop(void) { shmem_ctx_session_stop(SHMEM_CTX_INVALID); }
static void o_ptr(void) { shmem_ptr(words, 0); }
static void o_free(void) { shmem_free(words); }
static void o_finalize(void) { shmem_finalize(); }
static const struct {
    const char *name;
    void (*act)(void);
} outside[] = {{"malloc", o_malloc},   {"my_pe", o_my_pe}, {"n_pes", o_n_pes},     {"put", o_put},
               {"p", o_p},             {"g", o_g},         {"get_nbi", o_get_nbi}, {"add", o_add},
               {"fetch", o_fetch},     {"quiet", o_quiet}, {"barrier", o_barrier}, {"fence", o_fence},
               {"ptr", o_ptr},         {"free", o_free},   {"finalize", o_finalize},
               {"ctx_quiet", o_ctx_quiet}, {"ctx_fence", o_ctx_fence}, {"ctx_pe_quiet", o_ctx_pe_quiet},
               {"session_start", o_session_start}, {"session_stop", o_session_stop}};

/* Misuses of a running library. `v` and `here` are private. */
static long v[64], *here;
static void pe_put(void) { shmem_long_put(words, v, 1, t_npes); }
static void pe_put_low(void) { shmem_long_put(words, v, 1, -1); }
static void pe_put_min(void) { shmem_long_put(words, v, 1, INT_MIN); }
static void pe_get(void) { shmem_int_get((int *)v, (int *)words, 1, t_npes); }
static void pe_p(void) { shmem_double_p((double *)words, 1.0, t_npes); }
static void pe_g(void) { shmem_short_g((short *)words, -1); }
static void pe_longdouble_p(void) { shmem_longdouble_p((long double *)block, 1.0L, t_npes); }
static void pe_iput(void) { shmem_long_iput(words, v, 1, 1, 2, t_npes); }
static void pe_ibget(void) { shmem_ibget32(v, words, 2, 2, 1, 2, t_npes); }
static void pe_putmem_nbi(void) { shmem_putmem_nbi(words, v, 1, t_npes); }
static void pe_ctx_get(void) { shmem_ctx_long_get(SHMEM_CTX_DEFAULT, v, words, 1, t_npes); }
static void pe_fetch_add(void) { shmem_uint64_atomic_fetch_add((uint64_t *)words, 1, t_npes); }
static void pe_cswap_nbi(void) { shmem_int_atomic_compare_swap_nbi((int *)v, (int *)words, 0, 1, -1); }
static void pe_pe_quiet(void) { shmem_pe_quiet((int[]){0, t_npes}, 2); }

static void sym_stack_put(void) { shmem_int_put((int *)here, (int *)words, 1, 0); }
static void sym_stack_get(void) { shmem_long_get(v, here, 1, 0); }
static void sym_malloc_p(void)
{
    long *m = malloc(sizeof *m);
    shmem_long_p(m, 1, 0);
}
static void sym_library_put(void) { shmem_putmem(stdout, v, 1, 0); }
static void sym_constant_put(void) { shmem_long_put((long *)(uintptr_t)&constant, v, 1, 0); }
static void sym_amo(void) { shmem_long_atomic_add(here, 1, 0); }
static void sym_fetch(void) { shmem_long_atomic_fetch(here, 0); }
static void sym_iget(void) { shmem_long_iget(v, here, 1, 1, 2, 0); }
static void sym_nbi(void) { shmem_long_put_nbi(here, words, 1, 0); }
static void sym_self(void) { shmem_long_put(here, words, 1, t_me); }

static void end_heap_put(void) { shmem_char_put(block, block, (size_t)1 << 32, 0); }
static void end_heap_get(void) { shmem_getmem(v, block + ((size_t)1 << 32), 8, 0); }
static void end_overflow(void) { shmem_long_put(heap, v, SIZE_MAX / 4, 0); }
static void end_wraps(void) { shmem_char_put((char *)heap, (char *)v, SIZE_MAX - 100, 0); }
static void end_iput(void) { shmem_long_iput(heap, v, (ptrdiff_t)1 << 40, 1, 2, 0); }
static void end_statics(void)
{
    extern char _end[];
    const char *volatile last = _end; /* the compiler is not to know how little is there */
    shmem_getmem(v, last - 1, 70000, 0);
}

static void null_dest(void) { shmem_int_put(NULL, (int *)v, 1, 0); }
static void null_source(void) { shmem_int_put((int *)words, NULL, 1, 0); }
static void null_get_dest(void) { shmem_getmem(NULL, words, 1, 0); }
static void null_amo(void) { shmem_long_atomic_inc(NULL, 0); }
static void null_list(void) { shmem_pe_quiet(NULL, 2); }
static void null_level(void) { shmem_query_thread(NULL); }
static void null_initialized(void) { shmem_query_initialized(NULL); }
static void null_version(void) { shmem_info_get_version(NULL, NULL); }
static void null_name(void) { shmem_info_get_name(NULL); }
static void null_provided(void) { shmem_init_thread(SHMEM_THREAD_SINGLE, NULL); }

static void free_stack(void) { shmem_free(here); }
static void free_static(void) { shmem_free(&word); }
static void free_inside(void) { shmem_free(block + 16); }
static void free_private(void) { shmem_free(malloc(100)); }
static void realloc_inside(void) { shmem_realloc(block + 4096, 10); }

static void align_24(void) { shmem_align(24, 100); }
static void align_4(void) { shmem_align(4, 100); }
static void align_0(void) { shmem_align(0, 100); }

static void odd_dest(void) { shmem_long_put((long *)(void *)(block + 3), v, 1, 0); }
static void odd_source(void) { shmem_int_put((int *)words, (int *)(void *)((char *)v + 2), 1, 0); }
static void odd_sized(void) { shmem_put128(block + 8, v, 1, 0); }
static void odd_amo(void) { shmem_long_atomic_inc((long *)(void *)(block + 4), 0); }
static void overlap(void) { shmem_putmem(block, block + 10, 100, t_me); }
static void stride_dst(void) { shmem_long_iput(words, v, 0, 1, 2, 0); }
static void stride_sst(void) { shmem_long_iget(v, words, 1, -1, 2, 0); }
static void stride_block(void) { shmem_long_ibput(words, v, 2, 3, 3, 2, 0); }
static void ctx_invalid(void) { shmem_ctx_long_p(SHMEM_CTX_INVALID, words, 1, 0); }

static const struct {
    const char *name;
    void (*act)(void);
} inside[] = {
#define CASE(name) {#name, name}
    CASE(pe_put), CASE(pe_put_low), CASE(pe_put_min), CASE(pe_get), CASE(pe_p), CASE(pe_g), CASE(pe_longdouble_p),
    CASE(pe_iput), CASE(pe_ibget), CASE(pe_putmem_nbi), CASE(pe_ctx_get), CASE(pe_fetch_add), CASE(pe_cswap_nbi),
    CASE(pe_pe_quiet), CASE(sym_stack_put), CASE(sym_stack_get), CASE(sym_malloc_p), CASE(sym_library_put),
    CASE(sym_constant_put), CASE(sym_amo), CASE(sym_fetch), CASE(sym_iget), CASE(sym_nbi), CASE(sym_self),
    CASE(end_heap_put), CASE(end_heap_get), CASE(end_overflow), CASE(end_wraps), CASE(end_iput), CASE(end_statics),
    CASE(null_dest), CASE(null_source), CASE(null_get_dest), CASE(null_amo), CASE(null_list), CASE(null_level),
    CASE(null_initialized), CASE(null_version), CASE(null_name), CASE(null_provided), CASE(free_stack),
    CASE(free_static), CASE(free_inside), CASE(free_private), CASE(realloc_inside), CASE(align_24), CASE(align_4),
    CASE(align_0), CASE(odd_dest), CASE(odd_source), CASE(odd_sized), CASE(odd_amo), CASE(overlap), CASE(stride_dst),
    CASE(stride_sst), CASE(stride_block), CASE(ctx_invalid),
};

/* The PE number as the launcher tells it, for use before init; the last of two misbehaves. */
static int launched_as(void)
{
    const char *rank = getenv("PMI_RANK");
    if (!rank)
        rank = getenv("PMIX_RANK");
    return rank ? atoi(rank) : 1;
}

static void act_outside(const char *name)
{
    for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++)
        if (!strcmp(outside[i].name, name)) {
            outside[i].act();
            return;
        }
    fprintf(stderr, "no such misuse\n");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    long on_stack[8] = {0};
    t_alarm();
    here = on_stack;
    if (!strncmp(name, "before-", 7) && launched_as() == 1) {
        act_outside(name + 7);
        fputs("the misuse went through\n", stderr);
        return 0;
    }
    shmem_init();
    t_begin();
    heap = t_malloc(sizeof v);
    block = t_malloc(1 << 20);
    if (!strncmp(name, "after-", 6)) {
        shmem_finalize();
        if (t_me == t_npes - 1) {
            act_outside(name + 6);
            fputs("the misuse went through\n", stderr);
        }
        return 0;
    }
    if (!strcmp(name, "free_twice")) {
        /* Collective, so all do it; all complain or one does before the others can. */
        shmem_free(block);
        shmem_barrier_all();
        if (t_me == t_npes - 1)
            shmem_free(block);
    } else if (t_me == t_npes - 1)
        for (unsigned i = 0; i < sizeof inside / sizeof *inside; i++)
            if (!strcmp(inside[i].name, name)) {
                inside[i].act();
                fputs("the misuse went through\n", stderr);
                return 0;
            }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
