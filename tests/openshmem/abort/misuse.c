/* One misuse per run, named by the argument, by the last PE alone while the others wait in a barrier: the job must end
 * with one line that names routine, argument and value.
 * rules: 29 51 53 55 56 U1 U2 U3 U4 U5 U7 U8 U9 U14 U15 U16 U29 U31 U32 U56 */
#include "cases.h"

#include <limits.h>

static long word, words[64];
static const long constant = 3;
static long *heap;  /* 64 longs */
static char *block; /* 1 MiB */

/* Misuses before init and after finalize: the second argument is `before` or `after`. */
MISUSE(o_malloc, "shmem_malloc: called ") { shmem_malloc(8); }
MISUSE(o_my_pe, "shmem_my_pe: called ") { shmem_my_pe(); }
MISUSE(o_n_pes, "shmem_n_pes: called ") { shmem_n_pes(); }
MISUSE(o_put, "shmem_long_put: called ") { shmem_long_put(words, words + 32, 1, 0); }
MISUSE(o_p, "shmem_long_p: called ") { shmem_long_p(words, 1, 0); }
MISUSE(o_g, "shmem_long_g: called ") { shmem_long_g(words, 0); }
MISUSE(o_get_nbi, "shmem_getmem_nbi: called ") { shmem_getmem_nbi(words, words + 32, 1, 0); }
MISUSE(o_add, "shmem_int_atomic_add: called ") { shmem_int_atomic_add((int *)words, 1, 0); }
MISUSE(o_fetch, "shmem_double_atomic_fetch: called ") { shmem_double_atomic_fetch((double *)words, 0); }
MISUSE(o_barrier, "shmem_barrier_all: called ") { shmem_barrier_all(); }
MISUSE(o_quiet, "shmem_quiet: called ") { shmem_quiet(); }
MISUSE(o_fence, "shmem_fence: called ") { shmem_fence(); }
/* In a running library these do nothing. */
MISUSE(o_ctx_quiet, "shmem_ctx_quiet: called ") { shmem_ctx_quiet(SHMEM_CTX_INVALID); }
MISUSE(o_ctx_fence, "shmem_ctx_fence: called ") { shmem_ctx_fence(SHMEM_CTX_INVALID); }
MISUSE(o_ctx_pe_quiet, "shmem_ctx_pe_quiet: called ") { shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, NULL, 0); }
MISUSE(o_session_start, "shmem_ctx_session_start: called ") { shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, NULL, 0); }
MISUSE(o_session_stop, "shmem_ctx_session_stop: called ") { shmem_ctx_session_stop(SHMEM_CTX_INVALID); }
MISUSE(o_ptr, "shmem_ptr: called ") { shmem_ptr(words, 0); }
MISUSE(o_free, "shmem_free: called ") { shmem_free(words); }
MISUSE(o_finalize, "shmem_finalize: called ") { shmem_finalize(); }

/* Misuses of a running library. `v` and `here` are private. */
static long v[64], *here;
MISUSE(pe_put) { shmem_long_put(words, v, 1, t_npes); }
MISUSE(pe_put_low, "shmem_long_put: pe -1") { shmem_long_put(words, v, 1, -1); }
MISUSE(pe_put_min, "shmem_long_put: pe -2147483648") { shmem_long_put(words, v, 1, INT_MIN); }
MISUSE(pe_get, "shmem_int_get: pe 2") { shmem_int_get((int *)v, (int *)words, 1, t_npes); }
MISUSE(pe_p, "shmem_double_p: pe 2") { shmem_double_p((double *)words, 1.0, t_npes); }
MISUSE(pe_g, "shmem_short_g: pe -1") { shmem_short_g((short *)words, -1); }
MISUSE(pe_longdouble_p, "shmem_longdouble_p: pe 2") { shmem_longdouble_p((long double *)block, 1.0L, t_npes); }
MISUSE(pe_iput, "shmem_long_iput: pe 2") { shmem_long_iput(words, v, 1, 1, 2, t_npes); }
MISUSE(pe_ibget, "shmem_ibget32: pe 2") { shmem_ibget32(v, words, 2, 2, 1, 2, t_npes); }
MISUSE(pe_putmem_nbi, "shmem_putmem_nbi: pe 2") { shmem_putmem_nbi(words, v, 1, t_npes); }
MISUSE(pe_ctx_get, "shmem_ctx_long_get: pe 2") { shmem_ctx_long_get(SHMEM_CTX_DEFAULT, v, words, 1, t_npes); }
MISUSE(pe_fetch_add, "shmem_uint64_atomic_fetch_add: pe 2")
    { shmem_uint64_atomic_fetch_add((uint64_t *)words, 1, t_npes); }
MISUSE(pe_cswap_nbi, "shmem_int_atomic_compare_swap_nbi: pe -1")
    { shmem_int_atomic_compare_swap_nbi((int *)v, (int *)words, 0, 1, -1); }
MISUSE(pe_pe_quiet, "shmem_pe_quiet: pe 2") { shmem_pe_quiet((int[]){0, t_npes}, 2); }

MISUSE(sym_stack_put, "oshmpi[1]: shmem_int_put: dest 0x", "heap", "statics")
    { shmem_int_put((int *)here, (int *)words, 1, 0); }
MISUSE(sym_stack_get, "shmem_long_get: source 0x") { shmem_long_get(v, here, 1, 0); }
MISUSE(sym_malloc_p, "shmem_long_p: dest 0x")
{
    long *m = malloc(sizeof *m);
    shmem_long_p(m, 1, 0);
}
MISUSE(sym_library_put, "shmem_putmem: dest 0x", "libc.so") { shmem_putmem(stdout, v, 1, 0); }
MISUSE(sym_constant_put, "shmem_long_put: dest", "it is a constant of the program (const variable or string literal)")
    { shmem_long_put((long *)(uintptr_t)&constant, v, 1, 0); }
MISUSE(sym_amo, "shmem_long_atomic_add: dest 0x") { shmem_long_atomic_add(here, 1, 0); }
MISUSE(sym_fetch, "shmem_long_atomic_fetch: source 0x") { shmem_long_atomic_fetch(here, 0); }
MISUSE(sym_iget, "shmem_long_iget: source 0x") { shmem_long_iget(v, here, 1, 1, 2, 0); }
MISUSE(sym_nbi, "shmem_long_put_nbi: dest 0x") { shmem_long_put_nbi(here, words, 1, 0); }
MISUSE(sym_self, "shmem_long_put: dest 0x") { shmem_long_put(here, words, 1, t_me); }

MISUSE(end_heap_put, "shmem_char_put: dest 0x") { shmem_char_put(block, block, (size_t)1 << 32, 0); }
MISUSE(end_heap_get, "shmem_getmem: source 0x", "is not symmetric")
    { shmem_getmem(v, block + ((size_t)1 << 32), 8, 0); }
MISUSE(end_overflow, "shmem_long_put: ") { shmem_long_put(heap, v, SIZE_MAX / 4, 0); }
MISUSE(end_wraps, "shmem_char_put: dest 0x") { shmem_char_put((char *)heap, (char *)v, SIZE_MAX - 100, 0); }
MISUSE(end_iput, "shmem_long_iput: dest 0x") { shmem_long_iput(heap, v, (ptrdiff_t)1 << 40, 1, 2, 0); }
MISUSE(end_statics, "shmem_getmem: source 0x")
{
    extern char _end[];
    const char *volatile last = _end; /* the compiler is not to know how little is there */
    shmem_getmem(v, last - 1, 70000, 0);
}

MISUSE(null_dest, "shmem_int_put: dest ") { shmem_int_put(NULL, (int *)v, 1, 0); }
MISUSE(null_source, "shmem_int_put: source ") { shmem_int_put((int *)words, NULL, 1, 0); }
MISUSE(null_get_dest, "shmem_getmem: dest ") { shmem_getmem(NULL, words, 1, 0); }
MISUSE(null_amo, "shmem_long_atomic_inc: dest ") { shmem_long_atomic_inc(NULL, 0); }
MISUSE(null_list, "shmem_pe_quiet: ") { shmem_pe_quiet(NULL, 2); }
MISUSE(null_level, "shmem_query_thread: provided ") { shmem_query_thread(NULL); }
MISUSE(null_initialized, "shmem_query_initialized: initialized ") { shmem_query_initialized(NULL); }
MISUSE(null_version, "shmem_info_get_version: major ") { shmem_info_get_version(NULL, NULL); }
MISUSE(null_name, "shmem_info_get_name: name ") { shmem_info_get_name(NULL); }
MISUSE(null_provided, "shmem_init_thread: provided ") { shmem_init_thread(SHMEM_THREAD_SINGLE, NULL); }

MISUSE(free_stack, "oshmpi[1]: shmem_free: 0x", "was not returned by shmem_malloc", "freed already")
    { shmem_free(here); }
MISUSE(free_static, "shmem_free: 0x", "was not returned by") { shmem_free(&word); }
MISUSE(free_inside, "shmem_free: 0x", "was not returned by") { shmem_free(block + 16); }
MISUSE(free_private, "shmem_free: 0x", "was not returned by") { shmem_free(malloc(100)); }
/* Collective, so all do it; all complain or one does before the others can. */
MISUSE_OF_ALL(free_twice, "shmem_free: 0x", "was not returned by")
{
    shmem_free(block);
    shmem_barrier_all();
    if (t_me == t_npes - 1)
        shmem_free(block);
}
MISUSE(realloc_inside, "shmem_realloc: 0x", "was not returned by") { shmem_realloc(block + 4096, 10); }

/* 2^64 - 8 bytes: no overflow, and more than there are addresses */
MISUSE(wide_iget, "shmem_iget64: dest stretches over more than the address space")
    { shmem_iget64(v, heap, INT64_MAX / 8, 1, 3, 0); }
MISUSE(wide_iput, "shmem_iput64: source stretches over more than the address space")
    { shmem_iput64(heap, v, 1, INT64_MAX / 8, 3, 0); }

MISUSE(odd_dest, "shmem_long_put: dest 0x") { shmem_long_put((long *)(void *)(block + 3), v, 1, 0); }
MISUSE(odd_source, "shmem_int_put: source 0x") { shmem_int_put((int *)words, (int *)(void *)((char *)v + 2), 1, 0); }
MISUSE(odd_sized, "shmem_put128: dest 0x") { shmem_put128(block + 8, v, 1, 0); }
MISUSE(odd_amo, "shmem_long_atomic_inc: dest 0x") { shmem_long_atomic_inc((long *)(void *)(block + 4), 0); }
MISUSE(overlap, "shmem_putmem: ", "overlap") { shmem_putmem(block, block + 10, 100, t_me); }
MISUSE(stride_dst, "shmem_long_iput: dst is 0") { shmem_long_iput(words, v, 0, 1, 2, 0); }
MISUSE(stride_sst, "shmem_long_iget: sst is -1") { shmem_long_iget(v, words, 1, -1, 2, 0); }
MISUSE(stride_block, "shmem_long_ibput: dst is 2") { shmem_long_ibput(words, v, 2, 3, 3, 2, 0); }
MISUSE(ctx_invalid, "shmem_ctx_long_p: ctx ") { shmem_ctx_long_p(SHMEM_CTX_INVALID, words, 1, 0); }

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "", *when = argc > 2 ? argv[2] : "";
    const int before = !strcmp(when, "before");
    long on_stack[8] = {0};
    t_alarm();
    here = on_stack;
    if (before && t_launched_as() != 0) /* the last of two, or one alone */
        t_act(t_case(name));
    shmem_init();
    t_begin();
    if (before)
        return t_went_through();
    heap = t_malloc(sizeof v);
    block = t_malloc(1 << 20);
    if (!strcmp(when, "after")) {
        shmem_finalize();
        if (t_me == t_npes - 1)
            t_act(t_case(name));
        return 0;
    }
    return t_misuse(name);
}
