/* snippet: c11 c17 */
/* Arguments as programs write them: arrays, members, constants in front, side effects, a macro inside its argument. */
#include <shmem.h>

struct cell {
    long value[4];
    double weight;
};

static long table[8];
static struct cell cell;
static const int limits[2] = {1, 2};

long arguments(shmem_ctx_t ctx, int *p, const double *q)
{
    long sum = 0;
    shmem_put(table, table + 4, 4, 0);
    shmem_put(ctx, table, &table[4], 4, 0);
    shmem_put(SHMEM_CTX_DEFAULT, cell.value, table, 4, 0);
    shmem_get(&cell.weight, q, 1, 0);
    shmem_p(p++, 1, 0);
    shmem_p(ctx, p++, 1, 0);
    sum += shmem_g(&table[shmem_g(&table[1], 0)], (int)shmem_g(ctx, table, 0));
    sum += shmem_g(limits, 0) + shmem_g(ctx, limits, 0);
    sum += shmem_atomic_fetch(&limits[1], 0) + shmem_atomic_fetch(ctx, &limits[1], 0);
    sum += shmem_atomic_fetch_add(sum > 0 ? table : &cell.value[1], shmem_atomic_fetch_inc(table, 1), 1);
    if (shmem_test(&table[2], SHMEM_CMP_NE, 0))
        shmem_wait_until(&table[2], SHMEM_CMP_EQ, 0);
    else
        shmem_wait_until((short *)(void *)table, SHMEM_CMP_GT, 0);
    return sum;
}
