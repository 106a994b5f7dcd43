/* The generic macros of wait and test, every distinct type, values per variable behind const pointers.
 * shmem_{wait_until,test}[_{all,any,some}[_vector]]
 * rules: 229 242 20 */
#include "check.h"
#include "types.h"

#define GENERIC(NAME, TYPE, KIND)                                                                             \
    do {                                                                                                      \
        static TYPE words[3];                                                                                 \
        const TYPE zeros[3] = {0, 0, 0};                                                                      \
        const int status[3] = {0, 1, 0};                                                                      \
        size_t indices[3];                                                                                    \
        t_what = #NAME;                                                                                       \
        shmem_wait_until(words, SHMEM_CMP_EQ, 0);                                                             \
        CHECK_EQ(shmem_test(words, SHMEM_CMP_NE, (TYPE)0), 0);                                                \
        shmem_wait_until_all(words, 3, status, SHMEM_CMP_EQ, (TYPE)0);                                        \
        CHECK(shmem_wait_until_any(words, 3, status, SHMEM_CMP_EQ, (TYPE)0) != 1);                            \
        CHECK_EQ(shmem_wait_until_some(words, 3, indices, status, SHMEM_CMP_EQ, (TYPE)0), 2);                 \
        CHECK_EQ(shmem_test_all(words, 3, status, SHMEM_CMP_EQ, (TYPE)0), 1);                                 \
        CHECK(shmem_test_any(words, 3, status, SHMEM_CMP_EQ, (TYPE)0) != 1);                                  \
        CHECK_EQ(shmem_test_some(words, 3, indices, status, SHMEM_CMP_EQ, (TYPE)0), 2);                       \
        shmem_wait_until_all_vector(words, 3, status, SHMEM_CMP_EQ, zeros);                                   \
        CHECK(shmem_wait_until_any_vector(words, 3, status, SHMEM_CMP_EQ, zeros) != 1);                       \
        CHECK_EQ(shmem_wait_until_some_vector(words, 3, indices, status, SHMEM_CMP_EQ, zeros), 2);            \
        CHECK_EQ(shmem_test_all_vector(words, 3, status, SHMEM_CMP_EQ, zeros), 1);                            \
        CHECK(shmem_test_any_vector(words, 3, status, SHMEM_CMP_EQ, zeros) != 1);                             \
        CHECK_EQ(shmem_test_some_vector(words, 3, indices, status, SHMEM_CMP_EQ, zeros), 2);                  \
        /* In the type's own order. */                                                                        \
        shmem_p(&words[0], (TYPE)-1, t_me);                                                                   \
        CHECK_EQ(shmem_test(words, SHMEM_CMP_GT, (TYPE)0), (TYPE)-1 > 0);                                     \
    } while (0);

int main(void)
{
    t_init();
    T_GENERIC_AMO(GENERIC)
    /* The standard has these for one word only. */
    GENERIC(short, short, INT);
    GENERIC(ushort, unsigned short, INT);
    return t_done();
}
