/* One misuse of locks per run, named by the argument, by the last PE alone: the job must end with one line.
 * rules: 258 U43 U44 U45 U4 U7 U8 */
#include "cases.h"

static long lock, other, words[2];
/* Not 0 at first, on all PEs. */
static long one = 1, low = 5, high = 5L << 32;

MISUSE(set_held, "oshmpi[1]: shmem_set_lock: this PE holds lock 0x")
{
    shmem_set_lock(&lock);
    shmem_set_lock(&lock);
}
MISUSE(test_held, "shmem_test_lock: this PE holds lock 0x")
{
    shmem_set_lock(&lock);
    shmem_test_lock(&lock);
}
MISUSE(set_tested, "shmem_set_lock: this PE holds lock 0x")
{
    if (shmem_test_lock(&lock) == 0)
        shmem_set_lock(&lock);
}
MISUSE(clear_free) { shmem_clear_lock(&lock); }
MISUSE(clear_twice)
{
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_clear_lock(&lock);
}
MISUSE(clear_others) { shmem_clear_lock(&other); } /* PE 0 has it */
MISUSE(junk, "shmem_set_lock: ", "was not 0 before its first use")
{
    lock = -1;
    shmem_set_lock(&lock);
}
MISUSE(one_set) { shmem_set_lock(&one); } /* PE 0 seems to have it: the caller, or one that has not */
MISUSE(low_set) { shmem_set_lock(&low); }
MISUSE(low_test) { shmem_test_lock(&low); }
MISUSE(high_set) { shmem_set_lock(&high); }
MISUSE(high_test) { shmem_test_lock(&high); }
MISUSE(sym, "shmem_set_lock: lock 0x", "is not symmetric")
{
    long on_stack = 0;
    shmem_set_lock(&on_stack);
}
MISUSE(null, "shmem_test_lock: lock is null") { shmem_test_lock(NULL); }
MISUSE(odd, "shmem_clear_lock: lock 0x", "aligned") { shmem_clear_lock((long *)(void *)((char *)words + 4)); }

int main(int argc, char **argv)
{
    t_init();
    if (t_me == 0)
        shmem_set_lock(&other);
    shmem_barrier_all();
    return t_misuse(argc > 1 ? argv[1] : "");
}
