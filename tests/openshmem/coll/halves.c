/* Reductions of floating-point numbers of 16 bits: whole numbers, for which the result is exact, and sums that are
 * rounded; in teams of many shapes, of few and of many elements, in place or not, done or started.
 * shmemx_{half,bfloat16}_{max,min,sum,prod}_reduce{,_nb} */
#include "coll/coll.h"

#include <shmemx.h>

enum { MOST = 20000 };
static uint16_t source[MOST], dest[MOST];

/* Bits of a number that both have room for. */
static uint16_t half(float x)
{
    int exponent;
    const float m = frexpf(fabsf(x), &exponent);
    return x == 0 ? 0 : (uint16_t)((x < 0) << 15 | (exponent + 14) << 10 | ((int)(m * 2048) & 1023));
}

static uint16_t bfloat16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)(bits >> 16);
}

typedef int reduce_fn(shmem_team_t, uint16_t *, const uint16_t *, size_t);
typedef int start_fn(shmem_team_t, uint16_t *, const uint16_t *, size_t, shmemx_req_t *);
static const struct {
    uint16_t (*bits)(float);
    const char *name;
    reduce_fn *reduce;
    start_fn *start;
} routines[] = {
#define R(T, OP) {T, #OP, shmemx_##T##_##OP##_reduce, shmemx_##T##_##OP##_reduce_nb}
    R(half, max), R(half, min), R(half, sum), R(half, prod),
    R(bfloat16, max), R(bfloat16, min), R(bfloat16, sum), R(bfloat16, prod),
};

/* Of member `m`, at most 4 in size; products stay powers of two. */
static float element(char op, int m, size_t i) { return op == 'p' ? (m % 4 ? 1 : -2) : (float)((m + (int)i) % 9 - 4); }

static float result(const char *op, int members, size_t i)
{
    float r = element(*op, 0, i);
    for (int m = 1; m < members; m++) {
        const float e = element(*op, m, i);
        r = !strcmp(op, "max") ? fmaxf(r, e) : !strcmp(op, "min") ? fminf(r, e) : *op == 's' ? r + e : r * e;
    }
    return r;
}

static void one(const t_group *g, int k, size_t n, int in_place, int started)
{
    uint16_t *from = in_place ? dest : source;
    T_WHAT("%s of %zu elements of kind %d, %d members", routines[k].name, n, k / 4, g->size);
    for (size_t i = 0; i < n; i++)
        from[i] = routines[k].bits(element(*routines[k].name, g->me, i));
    CHECK_EQ(shmem_team_sync(g->team), 0);
    if (started) {
        shmemx_req_t req;
        CHECK_EQ(routines[k].start(g->team, dest, from, n, &req), 0);
        shmemx_req_wait(&req);
    } else {
        CHECK_EQ(routines[k].reduce(g->team, dest, from, n), 0);
    }
    CHECK_EACH(n, dest[i], routines[k].bits(result(routines[k].name, g->size, i)));
    CHECK_EQ(shmem_team_sync(g->team), 0);
}

int main(void)
{
    static const size_t lengths[] = {1, 7, 300, MOST};
    t_group groups[T_GROUPS];
    t_init();
    const int made = t_groups(groups);
    for (int g = 0; g < made; g++)
        for (int k = 0; groups[g].me >= 0 && k < 8; k++)
            for (size_t l = 0; l < 4; l++)
                one(&groups[g], k, lengths[l], (g + (int)l) % 2, (k + (int)l) % 2);
    t_groups_destroy(groups, made);

    /* 1 is less than half of the distance from 4096 to the next number, and 1.5 more than half of that from 256. */
    for (int k = 0; k < 2 && t_npes == 2; k++) {
        source[0] = k ? bfloat16(t_me ? 256 : 1.5f) : half(t_me ? 4096 : 1);
        shmem_barrier_all();
        CHECK_EQ(routines[k ? 6 : 2].reduce(SHMEM_TEAM_WORLD, dest, source, 1), 0);
        CHECK_EQ(dest[0], k ? bfloat16(258) : half(4096));
    }
    return t_done();
}
