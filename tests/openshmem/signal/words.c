/* Signal words without data: add, set, fetch, wait; many PEs adding to one word; set and add with a context; the value
 * that ended a wait.
 * shmem_[ctx_]signal_{add,set}, shmem_signal_fetch, shmem_signal_wait_until
 * rules: 20 162 167 168 169 170 43 54 */
#include "check.h"

enum { ADDS = 500, WAITS = 3000 };

static void words(const char *what, uint64_t *word)
{
    t_what = what;
    word[0] = word[1] = 0;
    shmem_barrier_all();
    /* All add to PE 0, also PE 0 itself; half of it on a context, some as put_signal without data. */
    for (int i = 0; i < ADDS; i++)
        switch (i % 4) {
        case 0: shmem_signal_add(word, 1, 0); break;
        case 1: shmem_ctx_signal_add(SHMEM_CTX_DEFAULT, word, 1, 0); break;
        case 2: shmem_signal_add(SHMEM_CTX_DEFAULT, word, 1, 0); break; /* the macro of C11 */
        default: shmem_putmem_signal(word + 1, word, 0, word, 1, SHMEM_SIGNAL_ADD, 0);
        }
    if (t_me == 0) {
        const uint64_t total = (uint64_t)ADDS * (uint64_t)t_npes;
        CHECK_EQ(shmem_signal_wait_until(word, SHMEM_CMP_GE, total), total);
        CHECK_EQ(shmem_signal_fetch(word), total);
    }
    shmem_barrier_all();
    if (t_me != 0)
        CHECK_EQ(shmem_signal_fetch(word), 0); /* the local word */
    shmem_barrier_all();

    shmem_signal_set(word, UINT64_MAX, t_right());
    CHECK_EQ(shmem_signal_wait_until(word, SHMEM_CMP_GT, (uint64_t)INT64_MAX), -1);
    shmem_barrier_all();
    shmem_signal_add(word, 3, t_right()); /* wraps */
    CHECK_EQ(shmem_signal_wait_until(word, SHMEM_CMP_LT, 100), 2);
    shmem_barrier_all();
    shmem_ctx_signal_set(SHMEM_CTX_DEFAULT, word, 17, t_right());
    shmem_quiet();
    CHECK_EQ(shmem_uint64_atomic_fetch(word, t_right()), 17);
    shmem_barrier_all();

    /* The value returned is the one that satisfied the wait, whatever comes after it: PE 1 writes one that does and one
     * that does not, in turns, for as long as PE 0 waits again and again. */
    if (t_npes > 1) {
        uint64_t *stop = word + 1;
        if (t_me == 1)
            for (uint64_t i = 1; shmem_uint64_atomic_fetch(stop, 1) == 0; i++) {
                shmem_signal_set(SHMEM_CTX_DEFAULT, word, 18, 0);
                shmem_signal_set(word, 1000000 + i, 0);
            }
        if (t_me == 0) {
            for (int i = 0; i < WAITS; i++)
                CHECK(shmem_signal_wait_until(word, SHMEM_CMP_GT, 1000) > 1000000);
            shmem_uint64_atomic_set(stop, 1, 1);
        }
        shmem_barrier_all();
    }
}

int main(void)
{
    static uint64_t static_words[2];
    uint64_t *heap;
    t_init();
    heap = t_malloc(2 * sizeof *heap);
    words("heap", heap);
    words("statics", static_words);
    return t_done();
}
