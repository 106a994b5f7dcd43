/* Thousands of random calls, the same on all PEs: no two blocks overlap, contents survive, and each block has the same
 * offset on every PE (a running hash is compared through the neighbours).
 * shmem_malloc, shmem_calloc, shmem_align, shmem_realloc, shmem_free
 * rules: 86 94 97 99 */
#include "check.h"

enum { SLOTS = 200, STEPS = 6000, MOST = 60000 };
static struct {
    unsigned char *p;
    size_t n;
    unsigned k;
} slots[SLOTS];
static unsigned long hash;

static int overlaps(int i)
{
    for (int j = 0; j < SLOTS; j++)
        if (j != i && slots[j].p && slots[i].p < slots[j].p + slots[j].n && slots[j].p < slots[i].p + slots[i].n)
            return 1;
    return 0;
}

int main(void)
{
    uint64_t random = 0x9e3779b97f4a7c15u;
    unsigned char *base;
    t_init();
    base = t_malloc(16);
    for (int step = 0; step < STEPS; step++) {
        int i = (int)(t_random(&random) % SLOTS);
        size_t n = t_random(&random) % (t_random(&random) % MOST + 1) + 1;
        unsigned way = (unsigned)(t_random(&random) % 8);
        unsigned char *p = slots[i].p;
        if (p && way < 4) {
            CHECK_PATTERN(p, slots[i].n, slots[i].k);
            shmem_free(p);
            slots[i].p = NULL;
            continue;
        }
        if (p) {
            size_t kept = n < slots[i].n ? n : slots[i].n;
            p = shmem_realloc(p, n);
            if (!p)
                continue;
            CHECK_PATTERN(p, kept, slots[i].k);
        } else if (way < 3)
            p = shmem_malloc(n);
        else if (way < 5) {
            p = shmem_calloc(n, 1);
            if (p)
                CHECK_FILL(p, 0, n);
        } else {
            size_t align = (size_t)8 << (t_random(&random) % 13);
            p = shmem_align(align, n);
            CHECK(((uintptr_t)p & (align - 1)) == 0);
        }
        slots[i].p = p;
        slots[i].n = n;
        slots[i].k = (unsigned)step;
        if (p) {
            CHECK(!overlaps(i));
            t_fill(p, n, (unsigned)step);
        }
        hash = hash * 31 + (p ? (unsigned long)(p - base) : 1u);
        if (step % 500 == 499) {
            shmem_barrier_all();
            CHECK_EQ(shmem_ulong_g(&hash, 0), hash);
            shmem_barrier_all();
        }
    }
    return t_done();
}
