/* Fifty phases one after the other, with work in each: nothing may run out, statics keep their values between phases.
 * shmem_init, shmem_finalize
 * rules: 59 61 64 */
#define T_NO_STATICS
#include "check.h"

enum { PHASES = 50 };
static long kept = 5, sum;

int main(void)
{
    int code = 0;
    t_alarm();
    for (int phase = 0; phase < PHASES; phase++) {
        long *box;
        shmem_init();
        t_begin();
        CHECK_EQ(kept, 5 + phase);
        kept++;
        box = shmem_calloc(1000, sizeof *box);
        CHECK(box != NULL);
        shmem_long_p(&box[999], phase, t_right());
        shmem_long_atomic_add(&sum, 1, t_right());
        shmem_barrier_all();
        CHECK_EQ(box[999], phase);
        CHECK_EQ(sum, phase + 1);
        if (phase == PHASES - 1)
            code = t_agree();
        /* box is not freed: finalize does it. */
        shmem_finalize();
    }
    return code || t_failures;
}
