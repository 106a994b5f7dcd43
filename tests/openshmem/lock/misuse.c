/* One misuse of locks per run, named by the argument, by the last PE alone: the job must end with one line.
 * rules: 258 U43 U44 U45 U4 U7 U8 */
#include "check.h"

static long lock, other, words[2];
/* Not 0 at first, on all PEs. */
static long one = 1, low = 5, high = 5L << 32;

static void set_held(void)
{
    shmem_set_lock(&lock);
    shmem_set_lock(&lock);
}
static void test_held(void)
{
    shmem_set_lock(&lock);
    shmem_test_lock(&lock);
}
static void set_tested(void)
{
    if (shmem_test_lock(&lock) == 0)
        shmem_set_lock(&lock);
}
static void clear_free(void) { shmem_clear_lock(&lock); }
static void clear_twice(void)
{
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_clear_lock(&lock);
}
static void clear_others(void) { shmem_clear_lock(&other); } /* PE 0 has it */
static void junk(void)
{
    lock = -1;
    shmem_set_lock(&lock);
}
static void one_set(void) { shmem_set_lock(&one); } /* PE 0 seems to have it: the caller, or one that has not */
static void low_set(void) { shmem_set_lock(&low); }
static void low_test(void) { shmem_test_lock(&low); }
static void high_set(void) { shmem_set_lock(&high); }
static void high_test(void) { shmem_test_lock(&high); }
static void sym(void)
{
    long on_stack = 0;
    shmem_set_lock(&on_stack);
}
static void null(void) { shmem_test_lock(NULL); }
static void odd(void) { shmem_clear_lock((long *)(void *)((char *)words + 4)); }

static const struct {
    const char *name;
    void (*act)(void);
} inside[] = {
#define CASE(name) {#name, name}
    CASE(set_held),     CASE(test_held), CASE(set_tested), CASE(clear_free), CASE(clear_twice),
    CASE(clear_others), CASE(junk),      CASE(one_set),    CASE(low_set),    CASE(low_test),
    CASE(high_set),     CASE(high_test), CASE(sym),        CASE(null),       CASE(odd),
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    t_init();
    if (t_me == 0)
        shmem_set_lock(&other);
    shmem_barrier_all();
    if (t_me == t_npes - 1)
        for (unsigned i = 0; i < sizeof inside / sizeof *inside; i++)
            if (!strcmp(inside[i].name, name)) {
                inside[i].act();
                fputs("the misuse went through\n", stderr);
                return 0;
            }
    shmem_barrier_all();
    return t_done();
}
