/* Blocking gets have read when they return: who gets a flag until it is set finds the data that was fenced before
 * it, and who has got data may tell the owner to overwrite them, with a put and no more. Data by g, get and iget, in
 * turn. shmem_fence, shmem_long_g, shmem_long_get, shmem_long_iget
 * rules: 138 139 231 245 */
#include "check.h"
#include <sched.h>

enum { MOST = 64, ROUNDS = 500 };
static long data[MOST], ready, taken;

int main(void)
{
    static const size_t sizes[] = {1, 2, 7, MOST};
    long got[MOST];
    t_init();
    for (long r = 1; r <= ROUNDS; r++) {
        const size_t n = sizes[r % 4];
        for (size_t i = 0; i < n; i++)
            ((volatile long *)data)[i] = r * 100 + (long)i;
        shmem_fence();
        shmem_long_p(&ready, r, t_me);

        while (shmem_long_g(&ready, t_right()) < r)
            sched_yield();
        switch (r % 3) {
        case 0: shmem_long_get(got, data, n, t_right()); break;
        case 1:
            for (size_t i = n; i-- > 0;)
                got[i] = shmem_long_g(&data[i], t_right());
            break;
        case 2: shmem_long_iget(got, data, 1, 1, n, t_right()); break;
        }
        shmem_long_p(&taken, r, t_right());
        CHECK_EACH(n, got[i], r * 100 + i);

        /* The left one has taken them: from here on they may be anything. */
        shmem_long_wait_until(&taken, SHMEM_CMP_GE, r);
        for (size_t i = 0; i < n; i++)
            ((volatile long *)data)[i] = -r;
    }
    shmem_barrier_all();
    return t_done();
}
