/* Two PEs that are in the library all the time serve each other, whatever it is that they call: the even one adds to
 * a word of the odd one, which gets, puts, completes or looks at its own words by AMO or signal until it finds that
 * it may stop.
 * rules: 46 47 48 */
#include "check.h"

enum { ADDS = 60, KINDS = 8 };
static long sum, box[8];
static uint64_t stop[KINDS];

static void busy(int kind, int pe)
{
    long got[8] = {0};
    uint64_t told = 0;
    for (long calls = 1; told == 0; calls++) {
        switch (kind) {
        case 0: told = shmem_uint64_g(&stop[kind], pe); continue;
        case 1: shmem_getmem(&told, &stop[kind], sizeof told, pe); continue;
        case 2: shmem_uint64_get_nbi(&told, &stop[kind], 1, pe); shmem_quiet(); continue;
        case 3: shmem_long_iget(got, box, 1, 2, 4, pe); break;
        case 4: shmem_long_p(&box[0], calls, pe); shmem_quiet(); break;
        case 5: shmem_long_put(box, got, 1, pe); break;
        /* To these two the other one says it here. */
        case 6: told = shmem_uint64_atomic_fetch(&stop[kind], t_me); continue;
        case 7: told = shmem_signal_fetch(&stop[kind]); continue;
        }
        if (calls % 64 == 0)
            told = shmem_uint64_g(&stop[kind], pe);
    }
}

int main(void)
{
    t_init();
    for (int kind = 0; kind < KINDS; kind++) {
        shmem_barrier_all();
        if (t_me % 2 == 1) {
            busy(kind, t_me - 1);
            CHECK_EQ(shmem_long_atomic_fetch(&sum, t_me), (kind + 1) * ADDS);
        } else if (t_me + 1 < t_npes) {
            for (long i = 0; i < ADDS; i++)
                CHECK_EQ(shmem_long_atomic_fetch_add(&sum, 1, t_me + 1), kind * ADDS + i);
            shmem_uint64_atomic_set(&stop[kind], 1, kind < 6 ? t_me : t_me + 1);
        }
    }
    shmem_barrier_all();
    return t_done();
}
