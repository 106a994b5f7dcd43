/* Locks keep others out: a counter that is read and written apart, by get and put on a PE and by loads and stores in a
 * peer's memory, under set_lock, test_lock and both mixed; locks in heap and statics, of any element of an array. The
 * next holder sees what the one before wrote. All copies of the lock are 0 when all is over, and its memory is reused.
 * rules: 253 255 256 257 259 */
#include "check.h"

static long static_locks[5], static_counters[5];

/* way 0: set; 1: test; 2: PEs differ; 3: by turns */
static void take(long *lock, int way, int turn)
{
    if (way == 1 || (way == 2 && t_me % 2) || (way == 3 && turn % 2)) {
        int got;
        while ((got = shmem_test_lock(lock)) != 0)
            CHECK_EQ(got, 1);
    } else
        shmem_set_lock(lock);
}

static void exclusive(const char *what, long *lock, long *counter, int turns)
{
    t_what = what;
    for (int way = 0; way < 4; way++) {
        const int where = t_npes - 1;
        long *there = shmem_ptr(counter, where), total;
        CHECK_EQ(*lock, 0);
        *counter = 0;
        shmem_barrier_all();
        for (int i = 0; i < turns; i++) {
            take(lock, way, i);
            if (there && i % 2)
                *there += 1; /* seen by gets of others, and theirs here */
            else {
                long n;
                shmem_long_get(&n, counter, 1, where);
                n++;
                shmem_long_put_nbi(counter, &n, 1, where); /* clear_lock completes it */
                shmem_clear_lock(lock);
                continue;
            }
            shmem_clear_lock(lock);
        }
        shmem_barrier_all();
        total = shmem_long_g(counter, where);
        CHECK_EQ(total, (long)turns * t_npes);
        CHECK_EQ(*lock, 0); /* this PE's copy: so all of them */
        shmem_barrier_all();
    }
}

int main(int argc, char **argv)
{
    const int turns = argc > 1 ? atoi(argv[1]) : 300;
    long *heap;
    t_init();
    heap = shmem_calloc(4, sizeof *heap);
    exclusive("heap", &heap[0], &heap[3], turns);
    exclusive("heap, next element", &heap[1], &heap[3], turns);
    exclusive("statics", &static_locks[4], &static_counters[0], turns);
    exclusive("lock in the statics, data in the heap", &static_locks[1], &heap[2], turns);
    CHECK_EQ(heap[0] | heap[1], 0);
    shmem_free(heap);
    heap = shmem_calloc(4, sizeof *heap);
    exclusive("heap again", &heap[0], &heap[3], turns / 10 + 1);
    shmem_free(heap);
    return t_done();
}
