/* A wait blocks its thread only, and another thread of the same PE may end it, with an AMO to the own PE; the other
 * forms, signals and the library's other calls go on meanwhile.
 * rules: 83 82 231 54 43 */
#include "check.h"

#include <pthread.h>

enum { ROUNDS = 200 };

static long ping, pong, many[4];
static uint64_t signal_word;

static void *partner(void *unused)
{
    (void)unused;
    for (long i = 1; i <= ROUNDS; i++) {
        shmem_long_wait_until(&ping, SHMEM_CMP_GE, i);
        shmem_long_atomic_set(&pong, i, t_me);
    }
    CHECK_EQ(shmem_signal_wait_until(&signal_word, SHMEM_CMP_NE, 0), 77);
    shmem_long_wait_until_all(many, 4, NULL, SHMEM_CMP_EQ, 5);
    shmem_long_atomic_set(&pong, -1, t_me);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    if (pthread_create(&thread, NULL, partner, NULL))
        T_DIE("no thread");
    for (long i = 1; i <= ROUNDS; i++) {
        shmem_long_atomic_inc(&ping, t_me);
        shmem_long_wait_until(&pong, SHMEM_CMP_EQ, i);
    }
    /* While the other thread waits for its signal, this one does collective things. */
    shmem_barrier_all();
    shmem_signal_set(&signal_word, 77, t_right());
    for (int i = 0; i < 4; i++)
        shmem_long_atomic_add(&many[i], 5, t_left());
    shmem_long_wait_until(&pong, SHMEM_CMP_EQ, -1);
    pthread_join(thread, NULL);
    return t_done();
}
