/* collect where some members bring nothing, from no source at all: null goes with 0 elements. Also when all do.
 * shmem_collect
 * rules: 50 187 */
#include "check.h"

enum { MOST = 700 };
static long dest[64 * MOST], source[MOST];

int main(void)
{
    t_init();
    for (long i = 0; i < MOST; i++)
        source[i] = t_me * MOST + i;
    /* Few travel with the meeting, many are written behind it. */
    for (int n = 1; n <= MOST; n += MOST - 1)
        for (int odd = 0; odd < 3; odd++) {
            const int mine = odd == 2 ? 0 : t_me % 2 == odd ? n : 0;
            long at = 0;
            memset(dest, -1, sizeof dest);
            shmem_barrier_all();
            CHECK_EQ(shmem_long_collect(SHMEM_TEAM_WORLD, dest, mine ? source : NULL, (size_t)mine), 0);
            for (int pe = 0; pe < t_npes && odd < 2; pe++)
                for (long i = 0; pe % 2 == odd && i < n; i++)
                    CHECK_EQ(dest[at++], pe * MOST + i);
            CHECK_EQ(dest[at], -1);
            shmem_barrier_all();
        }
    return t_done();
}
