/* snippet: c11 c17; wrong 14 */
/* A type that the table does not have is refused by the compiler, not converted. */
#include <shmem.h>

/* Of the two types that int64_t can be, the bitwise atomics have the one it is. */
#ifdef __LP64__
typedef long is_int64;
typedef long long is_not_int64;
#else
typedef long long is_int64;
typedef long is_not_int64;
#endif

#ifndef WRONG
#define WRONG 0
#endif

void f(shmem_ctx_t ctx, shmem_team_t team, is_int64 *good, is_not_int64 *bad, char *c, double *d, const int *fixed,
       void *v)
{
    shmem_atomic_fetch_and(good, 1, 0);
    shmem_atomic_fetch_and(ctx, good, 1, 0);
    (void)team, (void)bad, (void)c, (void)d, (void)fixed, (void)v;
#if WRONG == 1
    shmem_atomic_fetch_and(bad, 1, 0);
#elif WRONG == 2
    shmem_atomic_fetch_and(ctx, bad, 1, 0);
#elif WRONG == 3
    shmem_atomic_add(c, 1, 0);
#elif WRONG == 4
    shmem_atomic_add(ctx, c, 1, 0);
#elif WRONG == 5
    shmem_atomic_add(d, 1, 0);
#elif WRONG == 6
    shmem_put(v, v, 1, 0);
#elif WRONG == 7
    shmem_put(ctx, v, v, 1, 0);
#elif WRONG == 8
    shmem_p(fixed, 1, 0);
#elif WRONG == 9
    shmem_p(ctx, fixed, 1, 0);
#elif WRONG == 10
    /* A team is not a context. */
    shmem_put(team, good, good, 1, 0);
#elif WRONG == 11
    shmem_xor_reduce(team, d, d, 1);
#elif WRONG == 12
    shmem_wait_until_all(c, 1, NULL, SHMEM_CMP_EQ, 1);
#elif WRONG == 13
    shmem_g(good);
#elif WRONG == 14
    /* The deprecated atomics have no context form. */
    shmem_fadd(ctx, good, 1, 0);
#endif
}
