/* A PE that looks at its own memory until another one has changed it: by g, by get, by strided get, and at its own variable
 * between two fences or quiets of any kind. It need not do anything else to be served.
 * rules: 46 47 48 */
#include "check.h"

enum { KINDS = 6 };
static volatile long flag[2 * KINDS];

static long look(int kind)
{
    long seen = 0;
    switch (kind) {
    case 0: return shmem_long_g((long *)&flag[kind], t_me);
    case 1: shmem_getmem(&seen, (long *)&flag[kind], sizeof seen, t_me); return seen;
    case 2: shmem_long_iget(&seen, (long *)&flag[kind], 1, 1, 1, t_me); return seen;
    case 3: shmem_fence(); return flag[kind];
    case 4: shmem_pe_quiet(&t_me, 1); return flag[kind];
    default: shmem_quiet(); return flag[kind];
    }
}

int main(void)
{
    t_init();
    for (int kind = 0; kind < KINDS; kind++) {
        shmem_barrier_all();
        if (t_me == 0) {
            while (look(kind) == 0)
                ;
            CHECK_EQ(flag[kind], 7);
        } else if (t_me == t_npes - 1) {
            shmem_long_p((long *)&flag[kind], 7, 0);
            shmem_quiet();
            CHECK_EQ(shmem_long_g((long *)&flag[kind], 0), 7);
        }
    }
    shmem_barrier_all();
    return t_done();
}
