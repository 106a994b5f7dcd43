/* Very many nonblocking operations before one quiet, and completion by context and by PE: a ledger of fixed size
 * forgets none of them. Arguments: operations, and `bounded` where puts and gets may take no more memory, however many
 * they are.
 * rules: 127 131 148 149 150 160 245 247 251 */
#include "check.h"

#include <sys/resource.h>

enum { SLOTS = 4096, CONTEXTS = 40 };
static long source[SLOTS], fetched[SLOTS];
static long flags[CONTEXTS];

/* The most memory that this process has had, in KiB. */
static long peak(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 100000;
    t_init();
    const int right = (t_me + 1) % t_npes, left = (t_me + t_npes - 1) % t_npes;
    long *box = t_malloc(SLOTS * sizeof *box), *counts = t_malloc(SLOTS * sizeof *counts);
    memset(counts, 0, SLOTS * sizeof *counts);
    for (int i = 0; i < SLOTS; i++)
        source[i] = 1000000L * (t_me + 1) + i;
    memset(fetched, 0, sizeof fetched);
    memset(box, 0, SLOTS * sizeof *box);
    shmem_barrier_all();
    const long before = peak();

    for (long i = 0; i < n; i++)
        shmem_long_put_nbi(&box[i % SLOTS], &source[i % SLOTS], 1, right);
    shmem_quiet();
    shmem_barrier_all();
    CHECK_EACH(n < SLOTS ? n : SLOTS, box[i], 1000000L * (left + 1) + i);
    for (long i = 0; i < n; i++)
        shmem_long_get_nbi(&fetched[i % SLOTS], &box[i % SLOTS], 1, right);
    shmem_quiet();
    CHECK_EACH(n < SLOTS ? n : SLOTS, fetched[i], 1000000L * (t_me + 1) + i);
    if (argc > 2)
        CHECK(peak() - before < 64 << 10);
    static long olds[SLOTS];
    memset(olds, -1, sizeof olds);
    for (long i = 0; i < n / 10; i++) {
        shmem_long_atomic_fetch_add_nbi(&olds[i % SLOTS], &counts[i % SLOTS], 1, right);
        shmem_long_atomic_inc(&counts[i % SLOTS], right);
    }
    shmem_quiet();
    for (int i = 0; i < SLOTS && i < n / 10; i++)
        CHECK(olds[i] >= 0 && olds[i] <= 2 * (n / 10));
    shmem_barrier_all();
    long sum = 0;
    for (int i = 0; i < SLOTS; i++)
        sum += counts[i];
    CHECK_EQ(sum, 2 * (n / 10));
    shmem_barrier_all();

    /* Many contexts at once, completed one by one, by PE, and by their end. */
    shmem_ctx_t ctx[CONTEXTS];
    for (int c = 0; c < CONTEXTS; c++) {
        CHECK_EQ(shmem_ctx_create(0, &ctx[c]), 0);
        for (int pe = 0; pe < t_npes; pe++)
            shmem_ctx_long_put_nbi(ctx[c], &box[c + CONTEXTS * t_me], &source[c], 1, pe);
        shmem_ctx_fence(ctx[c]);
    }
    for (int c = 0; c < CONTEXTS; c++) {
        if (c % 3 == 0)
            shmem_ctx_quiet(ctx[c]);
        else if (c % 3 == 1)
            for (int pe = 0; pe < t_npes; pe++)
                shmem_ctx_pe_quiet(ctx[c], &pe, 1);
        for (int pe = 0; pe < t_npes; pe++)
            if (c % 3 != 2)
                CHECK_EQ(shmem_long_g(&box[c + CONTEXTS * t_me], pe), source[c]);
        shmem_ctx_destroy(ctx[c]);
        CHECK_EACH(t_npes, shmem_long_g(&box[c + CONTEXTS * t_me], i), source[c]);
    }
    /* A fence holds back what comes after it, whatever came before. */
    for (int c = 0; c < CONTEXTS; c++) {
        long value = 7000 + c;
        shmem_long_p(&box[SLOTS - 1], value, right);
        shmem_fence();
        shmem_long_p(&flags[c], 1, right);
        shmem_long_wait_until(&flags[c], SHMEM_CMP_EQ, 1);
        CHECK(*(volatile long *)&box[SLOTS - 1] >= value);
        shmem_barrier_all();
    }
    return t_done();
}
