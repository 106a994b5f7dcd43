/* First come, first served: PEs come to a held lock one after another and get it in that order. Looks inside for one
 * thing only: that a PE is in the queue shows as its number + 1 in the first half of some copy of the lock.
 * rules: 254 259 */
#include "check.h"

static long lock, arrive, order[64], served;

/* Some copy of the lock says that PE `who` came last. */
static int queued(int who)
{
    for (int pe = 0; pe < t_npes; pe++)
        if (shmem_uint_atomic_fetch((unsigned *)(void *)&lock, pe) == (unsigned)who + 1)
            return 1;
    return 0;
}

int main(void)
{
    t_init();
    for (int round = 0; round < 20; round++) {
        /* The order changes from round to round, holder included. */
        const int first = round % t_npes, step = t_npes > 1 && round % 2 ? t_npes - 1 : 1;
        arrive = served = 0;
        shmem_barrier_all();
        if (t_me == first)
            shmem_set_lock(&lock);
        shmem_barrier_all();
        if (t_me == first) {
            for (int i = 1; i < t_npes; i++) {
                const int who = (first + i * step) % t_npes;
                shmem_long_atomic_set(&arrive, 1, who);
                while (!queued(who))
                    usleep(20);
            }
        } else {
            shmem_long_wait_until(&arrive, SHMEM_CMP_EQ, 1);
            shmem_set_lock(&lock);
        }
        /* Under the lock: who is next to write its name on PE 0. */
        long n = shmem_long_g(&served, 0);
        shmem_long_p(&order[n], t_me, 0);
        shmem_long_p(&served, n + 1, 0);
        shmem_clear_lock(&lock);
        shmem_barrier_all();
        if (t_me == 0) {
            CHECK_EQ(served, t_npes);
            CHECK_EACH(t_npes, order[i], (first + i * step) % t_npes);
        }
        CHECK_EQ(lock, 0);
        shmem_barrier_all();
    }
    return t_done();
}
