/* A library with one fault, which the tests must find. To be preloaded: it stands before the library and passes calls
 * on by their pshmem_ names. MUTANT names the fault. It happens in one call of many,
 * drawn from CTEST_SEED and, but for the heap, the number of the PE.
 *
 *     oshcc -shared -fPIC -O2 -o libmutant.so mutant.c
 *     MUTANT=put oshrun -n 3 env LD_PRELOAD=$PWD/libmutant.so ./program */
#include <pshmem.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether this call is one in which the fault happens. */
static int strikes(const char *fault, unsigned one_of)
{
    static __thread uint64_t state;
    const char *wanted = getenv("MUTANT"), *seed = getenv("CTEST_SEED");
    if (!wanted || strcmp(wanted, fault))
        return 0;
    if (!state)
        state = 0x9e3779b97f4a7c15u * (1 + (seed ? strtoull(seed, NULL, 10) : 1)) +
                (strcmp(fault, "heap") ? 977u * (unsigned)pshmem_my_pe() : 0);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 20) % one_of == 0;
}

/* A put that is held back until `release`. */
static struct {
    shmem_ctx_t ctx;
    void *dest;
    const void *source;
    size_t n;
    int pe;
} held;
static __thread char copy[1 << 17];

static int hold(shmem_ctx_t ctx, void *dest, const void *source, size_t n, int pe)
{
    if (held.n || !n || n > sizeof copy)
        return 0;
    memcpy(copy, source, n);
    held.ctx = ctx;
    held.dest = dest;
    held.source = copy;
    held.n = n;
    held.pe = pe;
    return 1;
}
static void release(void)
{
    const size_t n = held.n;
    held.n = 0;
    if (n)
        pshmem_ctx_putmem(held.ctx, held.dest, held.source, n, held.pe);
}

/* put: lost. fence: a put comes after what a fence has ordered behind it. */
void shmem_ctx_putmem(shmem_ctx_t ctx, void *dest, const void *source, size_t n, int pe)
{
    if (strikes("put", 100) || (strikes("fence", 4) && hold(ctx, dest, source, n, pe)))
        return;
    pshmem_ctx_putmem(ctx, dest, source, n, pe);
}
void shmem_long_put(long *dest, const long *source, size_t n, int pe)
{
    if (strikes("put", 1000) || (strikes("fence", 10) && hold(SHMEM_CTX_DEFAULT, dest, source, n * sizeof *dest, pe)))
        return;
    pshmem_long_put(dest, source, n, pe);
}
void shmem_ctx_signal_set(shmem_ctx_t ctx, uint64_t *word, uint64_t value, int pe)
{
    pshmem_ctx_signal_set(ctx, word, value, pe);
    usleep(held.n ? 2000 : 0);
    release();
}
void shmem_ctx_uint64_atomic_set(shmem_ctx_t ctx, uint64_t *word, uint64_t value, int pe)
{
    pshmem_ctx_uint64_atomic_set(ctx, word, value, pe);
    usleep(held.n ? 2000 : 0);
    release();
}
void shmem_long_atomic_set(long *word, long value, int pe)
{
    pshmem_long_atomic_set(word, value, pe);
    usleep(held.n ? 2000 : 0);
    release();
}
void shmem_long_atomic_inc(long *word, int pe)
{
    pshmem_long_atomic_inc(word, pe);
    usleep(held.n ? 2000 : 0);
    release();
}

/* quiet: a nonblocking put comes after the quiet. */
void shmem_ctx_putmem_nbi(shmem_ctx_t ctx, void *dest, const void *source, size_t n, int pe)
{
    if (strikes("quiet", 4) && hold(ctx, dest, source, n, pe))
        return;
    pshmem_ctx_putmem_nbi(ctx, dest, source, n, pe);
}
void shmem_ctx_long_put_nbi(shmem_ctx_t ctx, long *dest, const long *source, size_t n, int pe)
{
    if (strikes("quiet", 10) && hold(ctx, dest, source, n * sizeof *dest, pe))
        return;
    pshmem_ctx_long_put_nbi(ctx, dest, source, n, pe);
}
void shmem_ctx_quiet(shmem_ctx_t ctx)
{
    pshmem_ctx_quiet(ctx);
    if (strikes("quiet", 2)) /* not at once: the fault is to be seen */
        release();
}
void shmem_ctx_destroy(shmem_ctx_t ctx)
{
    release();
    pshmem_ctx_destroy(ctx);
}

/* signal: the signal is there before its data. */
void shmem_ctx_putmem_signal(shmem_ctx_t ctx, void *dest, const void *source, size_t n, uint64_t *word, uint64_t value,
                             int op, int pe)
{
    if (!strikes("signal", 4)) {
        pshmem_ctx_putmem_signal(ctx, dest, source, n, word, value, op, pe);
        return;
    }
    pshmem_ctx_signal_set(ctx, word, value, pe);
    usleep(2000);
    pshmem_ctx_putmem(ctx, dest, source, n, pe);
}
void shmem_long_put_signal(long *dest, const long *source, size_t n, uint64_t *word, uint64_t value, int op, int pe)
{
    if (!strikes("signal", 4)) {
        pshmem_long_put_signal(dest, source, n, word, value, op, pe);
        return;
    }
    pshmem_signal_set(word, value, pe);
    usleep(2000);
    pshmem_long_put(dest, source, n, pe);
}

/* amo: lost. */
#define AMO(NAME, T, ONE_OF)                                                          \
    void shmem_ctx_##NAME##_atomic_add(shmem_ctx_t ctx, T *word, T value, int pe)     \
    {                                                                                 \
        if (!strikes("amo", ONE_OF))                                                  \
            pshmem_ctx_##NAME##_atomic_add(ctx, word, value, pe);                     \
    }
AMO(uint64, uint64_t, 20)
AMO(long, long, 1000)

/* reduce: one element is wrong. broadcast: the data of another root. alltoall: two blocks change places. scan: includes
 * the PE's own element. */
int shmem_long_sum_reduce(shmem_team_t team, long *dest, const long *source, size_t n)
{
    const int code = pshmem_long_sum_reduce(team, dest, source, n);
    if (n > 0 && strikes("reduce", 10))
        dest[n - 1]++;
    return code;
}
int shmem_long_broadcast(shmem_team_t team, long *dest, const long *source, size_t n, int root)
{
    const int code = pshmem_long_broadcast(team, dest, source, n, root);
    if (strikes("broadcast", 10))
        memmove(dest, source, n * sizeof *dest);
    return code;
}
int shmem_long_alltoall(shmem_team_t team, long *dest, const long *source, size_t n)
{
    const int code = pshmem_long_alltoall(team, dest, source, n);
    if (n > 0 && pshmem_team_n_pes(team) > 1 && strikes("alltoall", 10)) {
        const long first = dest[0];
        dest[0] = dest[n];
        dest[n] = first;
    }
    return code;
}
int shmem_long_sum_exscan(shmem_team_t team, long *dest, const long *source, size_t n)
{
    return strikes("scan", 4) ? pshmem_long_sum_inscan(team, dest, source, n)
                              : pshmem_long_sum_exscan(team, dest, source, n);
}

/* started: a wait for a request returns at once. The request is complete at the next barrier. */
static shmemx_req_t left;
void shmemx_req_wait(shmemx_req_t *req)
{
    if (strikes("started", 20) && __sync_bool_compare_and_swap(&left, SHMEMX_REQ_INVALID, *req))
        *req = SHMEMX_REQ_INVALID;
    else
        pshmemx_req_wait(req);
}
void shmem_barrier_all(void)
{
    if (left)
        pshmemx_req_wait(&left);
    pshmem_barrier_all();
}

/* wait: returns before the condition holds. */
#define WAIT(NAME, T)                                                                                       \
    void shmem_##NAME##_wait_until(T *ivar, int cmp, T value)                                               \
    {                                                                                                       \
        if (!strikes("wait", 20))                                                                           \
            pshmem_##NAME##_wait_until(ivar, cmp, value);                                                   \
    }                                                                                                       \
    void shmem_##NAME##_wait_until_all(T *ivars, size_t n, const int *status, int cmp, T value)             \
    {                                                                                                       \
        if (!strikes("wait", 4))                                                                            \
            pshmem_##NAME##_wait_until_all(ivars, n, status, cmp, value);                                   \
    }
WAIT(long, long)
WAIT(int32, int32_t)
WAIT(int64, int64_t)
WAIT(uint64, uint64_t)

/* test: tells of a variable that is masked. */
size_t shmem_int64_test_any(int64_t *ivars, size_t n, const int *status, int cmp, int64_t value)
{
    return strikes("test", 4) ? pshmem_int64_test_any(ivars, n, NULL, cmp, value)
                              : pshmem_int64_test_any(ivars, n, status, cmp, value);
}
size_t shmem_int32_test_any(int32_t *ivars, size_t n, const int *status, int cmp, int32_t value)
{
    return strikes("test", 4) ? pshmem_int32_test_any(ivars, n, NULL, cmp, value)
                              : pshmem_int32_test_any(ivars, n, status, cmp, value);
}

/* heap: a block is too short, so the next one overlaps it. */
void *shmem_malloc(size_t n) { return pshmem_malloc(n > 1000 && strikes("heap", 50) ? n / 2 : n); }
