/* Counted initialisation: inits nest, inner finalizes are barriers that free nothing, the last one ends the phase;
 * then again, three times over, each phase with an empty heap and the same numbers.
 * shmem_init, shmem_init_thread, shmem_finalize, shmem_query_initialized
 * rules: 57 58 59 60 61 63 64 80 */
#define T_NO_STATICS /* counts failures across phases by exit code */
#include "check.h"

enum { PHASES = 3, NEST = 3, BLOCK = 1 << 20 };
static long counter, order_seen;

static int initialised(void)
{
    int yes = 5;
    shmem_query_initialized(&yes);
    return yes;
}

int main(void)
{
    int first_me = -1, level = -1, first_level = -1;
    t_alarm();
    CHECK_EQ(initialised(), 0);
    for (int phase = 0; phase < PHASES; phase++) {
        char *block, *big;
        for (int i = 0; i < NEST; i++) {
            if (i == 0 || phase == 2)
                shmem_init();
            else {
                CHECK_EQ(shmem_init_thread(SHMEM_THREAD_SINGLE, &level), 0);
                if (first_level < 0)
                    first_level = level;
                CHECK_EQ(level, first_level);
            }
            CHECK(initialised());
        }
        t_begin();
        if (phase == 0)
            first_me = t_me;
        CHECK_EQ(t_me, first_me);

        /* The heap is empty again: nearly all of it can be had. */
        block = t_malloc(BLOCK);
        big = shmem_malloc((size_t)12 << 20); /* of 16 MiB */
        CHECK(big != NULL);
        big[((size_t)12 << 20) - 1] = 1;

        memset(block, 0, BLOCK);
        shmem_barrier_all();
        for (int i = NEST - 1; i > 0; i--) {
            /* An inner finalize completes and synchronises like barrier_all and keeps everything. */
            static long flag;
            memset(block, 0, 8);
            flag = 0;
            shmem_barrier_all();
            if (t_me == 0) {
                static const char word[] = "there";
                usleep(20000);
                shmem_putmem_nbi(block, word, sizeof word, t_npes - 1);
                shmem_long_atomic_add(&flag, 9, t_npes - 1);
            }
            shmem_finalize();
            CHECK(initialised());
            if (t_me == t_npes - 1) {
                CHECK(strcmp(block, "there") == 0);
                CHECK_EQ(flag, 9);
            }
            shmem_barrier_all();
        }
        /* The last one completes what is on its way: checked after it, in statics, which live on. */
        counter = order_seen = 0;
        shmem_barrier_all();
        usleep((useconds_t)(1000 * t_me));
        shmem_long_atomic_add(&counter, phase + 1, t_right());
        shmem_long_p(&order_seen, 40 + phase, t_right());
        if (phase < PHASES - 1)
            shmem_finalize();
        else {
            int code;
            shmem_barrier_all();
            CHECK_EQ(counter, phase + 1);
            code = t_agree();
            shmem_finalize();
            CHECK_EQ(initialised(), 0);
            return code || t_failures;
        }
        CHECK_EQ(initialised(), 0);
        CHECK_EQ(counter, phase + 1);
        CHECK_EQ(order_seen, 40 + phase);
    }
    return 1;
}
