/* What SHMEM_SYMMETRIC_SIZE gives: arguments are bytes that must be had in one block, then (optional) bytes that must
 * not be had. Memory that is not touched costs nothing: resident size stays small.
 * rules: 23 24 25 27 28 96 100 */
#define T_NO_STATICS
#include "check.h"

int main(int argc, char **argv)
{
    size_t fits = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    size_t fails = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
    t_init();
    if (fits) {
        char *p = shmem_malloc(fits);
        CHECK(p != NULL);
        if (p) {
            shmem_char_p(p + fits - 1, 'x', t_right());
            shmem_barrier_all();
            CHECK_EQ(p[fits - 1], 'x');
            CHECK(t_resident() < 100L << 20);
            shmem_free(p);
        }
    }
    if (fails)
        CHECK_PTR(shmem_malloc(fails), NULL);
    return t_done();
}
