/* random.h: what the randomised programs share.
 *
 * All PEs draw one schedule from one seed, CTEST_SEED in the environment. So each PE knows what all others do, and what
 * memory must hold, from the seed alone. A failure begins with the seed: CTEST_SEED=N with the same number of PEs
 * repeats the schedule.
 */
#ifndef T_RANDOM_H
#define T_RANDOM_H

#include "check.h"
#include <sched.h>

/* A number below n, which is at most 2^31. */
T_UNUSED static unsigned r_below(uint64_t *state, unsigned n)
{
    return (unsigned)((t_random(state) >> 20) % n);
}

/* A number among those below n, of which small ones are as likely as large ones. */
T_UNUSED static size_t r_size(uint64_t *state, size_t n)
{
    const size_t most = t_random(state) % n + 1;
    return t_random(state) % most;
}

/* Another sequence for each number that is mixed in. */
T_UNUSED static uint64_t r_state(uint64_t seed, uint64_t number)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + number * 0xd1342543de82ef95u + 1;
    for (int i = 0; i < 3; i++)
        x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ? x : 1;
}

/* The seed, which failures name from now on. */
T_UNUSED static uint64_t r_seed(void)
{
    static char text[40];
    const char *given = getenv("CTEST_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
    snprintf(text, sizeof text, "seed %" PRIu64, seed);
    t_what = text;
    return seed;
}

/* Lets others go ahead, now and then. */
T_UNUSED static void r_be_late(uint64_t *own)
{
    switch (r_below(own, 20)) {
    case 0: usleep(r_below(own, 300)); break;
    case 1: sched_yield(); break;
    case 2:
        for (volatile unsigned spin = r_below(own, 20000); spin > 0; spin--)
            ;
    }
}

#endif
