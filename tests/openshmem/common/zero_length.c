/* Length 0 moves nothing and is legal with null pointers too, in every put, get and strided form, typed, sized and
 * mem, blocking and not; pe_quiet with an empty list likewise.
 * rules: 50 35 142 144 251 */
#include "check.h"
#include "types.h"

#define CTX SHMEM_CTX_DEFAULT

static long box[4] = {1, 2, 3, 4};

#define TYPED(NAME, TYPE, KIND)                                                        \
    static void test_##NAME(TYPE *d, TYPE *s, int pe)                                  \
    {                                                                                  \
        t_what = #NAME;                                                                \
        shmem_##NAME##_put(d, s, 0, pe);                                               \
        shmem_##NAME##_get(d, s, 0, pe);                                               \
        shmem_##NAME##_put_nbi(d, s, 0, pe);                                           \
        shmem_##NAME##_get_nbi(d, s, 0, pe);                                           \
        shmem_##NAME##_iput(d, s, 2, 3, 0, pe);                                        \
        shmem_##NAME##_iget(d, s, 2, 3, 0, pe);                                        \
        shmem_##NAME##_ibput(d, s, 2, 3, 2, 0, pe);                                    \
        shmem_##NAME##_ibget(d, s, 2, 3, 2, 0, pe);                                    \
        shmem_##NAME##_ibput(d, s, 2, 3, 0, 5, pe);                                    \
        shmem_##NAME##_ibget(d, s, 2, 3, 0, 5, pe);                                    \
        shmem_ctx_##NAME##_put(CTX, d, s, 0, pe);                                      \
        shmem_ctx_##NAME##_get(CTX, d, s, 0, pe);                                      \
        shmem_ctx_##NAME##_put_nbi(CTX, d, s, 0, pe);                                  \
        shmem_ctx_##NAME##_get_nbi(CTX, d, s, 0, pe);                                  \
        shmem_ctx_##NAME##_iput(CTX, d, s, 2, 3, 0, pe);                               \
        shmem_ctx_##NAME##_iget(CTX, d, s, 2, 3, 0, pe);                               \
        shmem_ctx_##NAME##_ibput(CTX, d, s, 2, 3, 2, 0, pe);                           \
        shmem_ctx_##NAME##_ibget(CTX, d, s, 2, 3, 2, 0, pe);                           \
    }
T_RMA(TYPED)

#define SIZED(BITS)                              \
    shmem_put##BITS(d, s, 0, pe);                \
    shmem_get##BITS(d, s, 0, pe);                \
    shmem_put##BITS##_nbi(d, s, 0, pe);          \
    shmem_get##BITS##_nbi(d, s, 0, pe);          \
    shmem_ctx_put##BITS(CTX, d, s, 0, pe);       \
    shmem_ctx_get##BITS(CTX, d, s, 0, pe);       \
    shmem_ctx_put##BITS##_nbi(CTX, d, s, 0, pe); \
    shmem_ctx_get##BITS##_nbi(CTX, d, s, 0, pe);
#define STRIDED(BITS)                                   \
    shmem_iput##BITS(d, s, 2, 3, 0, pe);                \
    shmem_iget##BITS(d, s, 2, 3, 0, pe);                \
    shmem_ibput##BITS(d, s, 2, 3, 2, 0, pe);            \
    shmem_ibget##BITS(d, s, 2, 3, 2, 0, pe);            \
    shmem_ibput##BITS(d, s, 2, 3, 0, 5, pe);            \
    shmem_ibget##BITS(d, s, 2, 3, 0, 5, pe);            \
    shmem_ctx_iput##BITS(CTX, d, s, 2, 3, 0, pe);       \
    shmem_ctx_iget##BITS(CTX, d, s, 2, 3, 0, pe);       \
    shmem_ctx_ibput##BITS(CTX, d, s, 2, 3, 2, 0, pe);   \
    shmem_ctx_ibget##BITS(CTX, d, s, 2, 3, 2, 0, pe);

static void sized(void *d, void *s, int pe)
{
    t_what = "sized";
    SIZED(8) SIZED(16) SIZED(32) SIZED(64) SIZED(128) SIZED(mem)
    STRIDED(8) STRIDED(16) STRIDED(32) STRIDED(64) STRIDED(128)
}

#define NULLS(NAME, TYPE, KIND) test_##NAME(NULL, NULL, pe);
#define REAL(NAME, TYPE, KIND) test_##NAME((TYPE *)(void *)box, (TYPE *)(void *)source, pe);

int main(void)
{
    static const long before[4] = {1, 2, 3, 4};
    static _Alignas(16) long source[4] = {9, 9, 9, 9};
    t_init();
    for (int i = 0; i < 2; i++) {
        int pe = i ? t_me : t_right();
        T_RMA(NULLS)
        T_RMA(REAL)
        sized(NULL, NULL, pe);
        sized(box, source, pe);
    }
    shmem_pe_quiet(NULL, 0);
    shmem_ctx_pe_quiet(CTX, NULL, 0);
    shmem_barrier_all();
    CHECK_BYTES(box, before, sizeof box);
    return t_done();
}
