/* AMOs that change nothing leave the word alone: a put that comes between is not undone. The standard does not say
 * what AMOs and puts on one word do; here a fetch or a compare-and-swap that fails is no store, so a PE may wait
 * with them for a put.
 * rules: 42 47 */
#include "check.h"

enum { ROUNDS = 500 };
static long flag, reply;

int main(void)
{
    t_init();
    for (long i = 1; i <= ROUNDS; i++) {
        if (t_me == 0) {
            while (shmem_long_atomic_fetch(&flag, 0) != i && shmem_long_atomic_compare_swap(&flag, -1, 0, 0) != i)
                ;
            shmem_long_p(&reply, i, 1);
        } else if (t_me == 1) {
            shmem_long_p(&flag, i, 0);
            while (shmem_long_atomic_fetch(&reply, 1) != i)
                ;
        }
    }
    shmem_barrier_all();
    return t_done();
}
