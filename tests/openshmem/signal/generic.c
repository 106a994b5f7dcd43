/* The generic macros of signals: every distinct type, with and without a context, source behind a const pointer.
 * shmem_put_signal[_nbi], shmem_signal_add, shmem_signal_set
 * rules: 20 163 168 */
#include "check.h"
#include "types.h"

static uint64_t sig;

#define GENERIC(NAME, TYPE, KIND)                                                                             \
    do {                                                                                                      \
        static TYPE dest[2];                                                                                  \
        const TYPE source[2] = {3, 4};                                                                        \
        t_what = #NAME;                                                                                       \
        sig = 0;                                                                                              \
        shmem_put_signal(dest, source, 1, &sig, 1, SHMEM_SIGNAL_ADD, t_me);                                   \
        shmem_put_signal(SHMEM_CTX_DEFAULT, dest, source, 2, &sig, 1, SHMEM_SIGNAL_ADD, t_me);                \
        CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 2), 2);                                          \
        CHECK(dest[0] == (TYPE)3 && dest[1] == (TYPE)4);                                                      \
        dest[0] = dest[1] = 0;                                                                                \
        shmem_put_signal_nbi(dest, source, 2, &sig, 9, SHMEM_SIGNAL_SET, t_me);                               \
        shmem_put_signal_nbi(SHMEM_CTX_DEFAULT, dest, source, 1, &sig, 1, SHMEM_SIGNAL_ADD, t_me);            \
        CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 10), 10);                                        \
        CHECK(dest[0] == (TYPE)3 && dest[1] == (TYPE)4);                                                      \
        shmem_quiet();                                                                                        \
    } while (0);

int main(void)
{
    t_init();
    T_GENERIC_RMA(GENERIC)
    t_what = "words";
    shmem_signal_set(&sig, 5, t_me);
    shmem_signal_set(SHMEM_CTX_DEFAULT, &sig, 6, t_me);
    shmem_signal_add(&sig, 5, t_me);
    shmem_signal_add(SHMEM_CTX_DEFAULT, &sig, 6, t_me);
    CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 17), 17);
    return t_done();
}
