/* PE numbers on a team's context are the team's: every family of routines, on teams of many shapes; each member writes
 * to each other one.
 * shmem_ctx_* of RMA, strided RMA, AMO, signals, their nonblocking forms and pe_quiet
 * rules: 118 130 251 */
#include "coll/coll.h"

enum { CELLS = 40, MOST = 64 };
/* Row r is written by the PE with number r in the world. */
static long cells[MOST][CELLS], theirs[MOST][CELLS];
static uint64_t bits[MOST], signals[MOST];

static void write_all(shmem_ctx_t ctx, int i)
{
    long *row = cells[t_me], *v = theirs[t_me], old = 0;
    for (int k = 0; k < CELLS; k++)
        v[k] = 1000 * (t_me + 1) + k;
    shmem_ctx_long_put(ctx, row, v, 4, i);
    shmem_ctx_putmem(ctx, row + 4, v + 4, 2 * sizeof *v, i);
    shmem_ctx_put64(ctx, row + 6, v + 6, 2, i);
    shmem_ctx_long_p(ctx, row + 8, v[8], i);
    shmem_ctx_long_iput(ctx, row + 9, v + 9, 2, 2, 3, i);      /* 9 11 13 */
    shmem_ctx_iput64(ctx, row + 10, v + 10, 2, 2, 3, i);       /* 10 12 14 */
    shmem_ctx_long_ibput(ctx, row + 15, v + 15, 4, 4, 2, 2, i); /* 15 16 19 20 */
    shmem_ctx_ibput64(ctx, row + 17, v + 17, 4, 4, 2, 2, i);   /* 17 18 21 22 */
    shmem_ctx_long_put_nbi(ctx, row + 23, v + 23, 2, i);
    shmem_ctx_putmem_nbi(ctx, row + 25, v + 25, sizeof *v, i);
    shmem_ctx_put64_nbi(ctx, row + 26, v + 26, 1, i);
    shmem_ctx_long_atomic_set(ctx, row + 27, v[27], i);
    shmem_ctx_long_atomic_add(ctx, row + 28, v[28], i);
    for (long k = 0; k < 3; k++)
        shmem_ctx_long_atomic_inc(ctx, row + 29, i);
    CHECK_EQ(shmem_ctx_long_atomic_swap(ctx, row + 30, v[30], i), 0);
    CHECK_EQ(shmem_ctx_long_atomic_compare_swap(ctx, row + 31, 0, v[31], i), 0);
    CHECK_EQ(shmem_ctx_long_atomic_fetch_add(ctx, row + 32, v[32], i), 0);
    CHECK_EQ(shmem_ctx_long_atomic_fetch_inc(ctx, row + 33, i), 0);
    shmem_ctx_long_atomic_swap_nbi(ctx, &old, row + 34, v[34], i);
    shmem_ctx_long_atomic_compare_swap_nbi(ctx, &old, row + 35, 0, v[35], i);
    shmem_ctx_long_atomic_fetch_add_nbi(ctx, &old, row + 36, v[36], i);
    shmem_ctx_long_atomic_fetch_inc_nbi(ctx, &old, row + 37, i);
    shmem_ctx_uint64_atomic_or(ctx, &bits[t_me], 0xf0, i);
    shmem_ctx_uint64_atomic_and(ctx, &bits[t_me], 0x3c, i);
    shmem_ctx_uint64_atomic_xor(ctx, &bits[t_me], 0x11, i);
    CHECK_EQ(shmem_ctx_uint64_atomic_fetch_or(ctx, &bits[t_me], 2, i), 0x21);
    shmem_ctx_long_put_signal(ctx, row + 38, v + 38, 1, &signals[t_me], 1, SHMEM_SIGNAL_ADD, i);
    shmem_ctx_putmem_signal_nbi(ctx, row + 39, v + 39, sizeof *v, &signals[t_me], 10, SHMEM_SIGNAL_ADD, i);
    shmem_ctx_signal_add(ctx, &signals[t_me], 100, i);
    shmem_ctx_pe_quiet(ctx, &i, 1);
}

static long wanted(int pe, int k)
{
    if (k == 29)
        return 3;
    if (k == 33 || k == 37)
        return 1;
    return 1000 * (pe + 1) + k;
}

static void read_all(shmem_ctx_t ctx, int i)
{
    long got[CELLS] = {0}, *row = cells[t_me], one = 0, odd[3] = {0}, blocks[4] = {0};
    shmem_ctx_long_get(ctx, got, row, CELLS, i);
    CHECK_EACH(CELLS, got[i], wanted(t_me, i));
    CHECK_EQ(shmem_ctx_long_g(ctx, row + 3, i), wanted(t_me, 3));
    CHECK_EQ(shmem_ctx_long_atomic_fetch(ctx, row + 4, i), wanted(t_me, 4));
    shmem_ctx_getmem(ctx, &one, row + 5, sizeof one, i);
    CHECK_EQ(one, wanted(t_me, 5));
    shmem_ctx_get64(ctx, &one, row + 6, 1, i);
    CHECK_EQ(one, wanted(t_me, 6));
    shmem_ctx_long_iget(ctx, odd, row + 1, 1, 2, 3, i);
    CHECK_EQ(odd[2], wanted(t_me, 5));
    shmem_ctx_long_ibget(ctx, blocks, row, 2, 3, 2, 2, i);
    CHECK_EQ(blocks[3], wanted(t_me, 4));
    shmem_ctx_long_get_nbi(ctx, got, row + 7, 1, i);
    shmem_ctx_getmem_nbi(ctx, got + 1, row + 8, sizeof *got, i);
    shmem_ctx_long_atomic_fetch_nbi(ctx, got + 2, row + 9, i);
    shmem_ctx_quiet(ctx);
    CHECK_EACH(3, got[i], wanted(t_me, 7 + i));
    CHECK_EQ(shmem_ctx_uint64_g(ctx, &bits[t_me], i), 0x23);
}

int main(void)
{
    t_group groups[T_GROUPS];
    int made;
    t_init();
    made = t_groups(groups);
    for (int k = 0; k < made; k++) {
        const t_group *g = &groups[k];
        T_WHAT("team %d%+d*%d", g->start, g->stride, g->size);
        memset(cells, 0, sizeof cells);
        memset(bits, 0, sizeof bits);
        memset(signals, 0, sizeof signals);
        shmem_barrier_all();
        if (g->me >= 0) {
            shmem_ctx_t ctx;
            CHECK_EQ(shmem_team_create_ctx(g->team, SHMEM_CTX_SERIALIZED, &ctx), 0);
            for (int i = 0; i < g->size; i++)
                write_all(ctx, i);
            for (int i = 0; i < g->size; i++)
                read_all(ctx, i);
            shmem_ctx_destroy(ctx);
        }
        shmem_barrier_all();
        /* exactly the members have written to exactly the members */
        for (int pe = 0; pe < t_npes; pe++) {
            int writer = 0;
            for (int i = 0; i < g->size; i++)
                writer |= t_world(g, i) == pe;
            CHECK_EACH(CELLS, cells[pe][i], writer && g->me >= 0 ? wanted(pe, i) : 0);
            CHECK_EQ(signals[pe], writer && g->me >= 0 ? 111 : 0);
        }
        shmem_barrier_all();
    }
    t_groups_destroy(groups, made);
    return t_done();
}
