/* A space of each kind: puts, gets, AMOs, signals, waits, collectives, contexts, strided and nonblocking operations, on
 * a word or a block of the space at every PE, with the heap on the other side. Argument: the kind; for a file its path.
 */
#include "check.h"

#include <shmemx.h>

enum { N = 3000, LONG = 300000 };

static shmemx_space_t space;
static long *row, *all; /* N elements, and as many from each PE */
static unsigned char *large;
static uint64_t *signals;

static void move(void)
{
    long *own = malloc(N * sizeof *own), *got = malloc(N * sizeof *got);
    const int to = t_right();
    for (int i = 0; i < N; i++)
        own[i] = t_me * N + i;
    shmem_long_put(row, own, N, to);
    shmem_barrier_all();
    CHECK_EACH(N, row[i], t_left() * N + i);
    shmem_long_get(got, row, N, to);
    CHECK_EACH(N, got[i], t_me * N + i);
    CHECK_EQ(shmem_long_g(&row[7], to), t_me * N + 7);
    shmem_barrier_all();
    shmem_long_p(&row[7], 700 + t_me, to);
    shmem_long_iput(row + 100, own, 3, 2, 50, to);
    shmem_long_ibput(row + 500, own, 5, 3, 2, 40, to);
    shmem_barrier_all();
    CHECK_EQ(row[7], 700 + t_left());
    CHECK_EACH(50, row[100 + 3 * i], t_left() * N + 2 * i);
    CHECK_EACH(80, row[500 + i / 2 * 5 + i % 2], t_left() * N + i / 2 * 3 + i % 2);
    shmem_long_iget(got, row + 100, 1, 3, 50, to);
    CHECK_EACH(50, got[i], t_me * N + 2 * i);
    shmem_long_ibget(got, row + 500, 2, 5, 2, 40, to);
    CHECK_EACH(80, got[i], t_me * N + i / 2 * 3 + i % 2);
    shmem_barrier_all();
    free(own);
    free(got);
}

/* More bytes than a message holds, without waiting, by the default context and by another one. */
static void move_later(void)
{
    unsigned char *own = malloc(LONG), *got = malloc(LONG);
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(0, &ctx), 0);
    t_fill(own, LONG, (unsigned)t_me);
    shmem_ctx_putmem_nbi(ctx, large, own, LONG, t_right());
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    CHECK_PATTERN(large, LONG, (unsigned)t_left());
    shmem_getmem_nbi(got, large, LONG, t_right());
    shmem_quiet();
    CHECK_PATTERN(got, LONG, (unsigned)t_me);
    shmem_barrier_all();
    shmem_ctx_destroy(ctx);
    free(own);
    free(got);
}

static void change(void)
{
    long old = -1;
    *signals = 0;
    row[0] = 0;
    shmem_barrier_all();
    for (int pe = 0; pe < t_npes; pe++) {
        shmem_long_atomic_add(&row[0], 2, pe);
        shmem_long_atomic_inc(&row[0], pe);
        shmem_int_atomic_fetch_add((int *)(row + 1), 0, pe);
        shmem_long_atomic_fetch_add_nbi(&old, &row[0], 1, pe);
        shmem_quiet();
        CHECK(old >= 3);
    }
    shmem_barrier_all();
    CHECK_EQ(row[0], 4 * t_npes);
    CHECK_EQ(shmem_long_atomic_compare_swap(&row[0], 4 * t_npes, 5, t_me), 4 * t_npes);
    CHECK_EQ(shmem_long_atomic_swap(&row[0], 9, t_me), 5);
    CHECK_EQ(shmem_long_atomic_fetch(&row[0], t_me), 9);
    shmem_barrier_all();
}

/* Data of the space with a signal of it, data of it with a signal of the statics, and the other way round. */
static void signal_all(void)
{
    static uint64_t in_statics;
    static long block[40];
    long own[40];
    in_statics = 0;
    shmem_barrier_all();
    for (int i = 0; i < 40; i++)
        own[i] = 1000 * t_me + i;
    shmem_long_put_signal(row, own, 40, &signals[0], 1, SHMEM_SIGNAL_SET, t_right());
    CHECK_EQ(shmem_signal_wait_until(&signals[0], SHMEM_CMP_EQ, 1), 1);
    CHECK_EACH(40, row[i], 1000 * t_left() + i);
    shmem_long_put_signal_nbi(row + 40, own, 40, &in_statics, 2, SHMEM_SIGNAL_ADD, t_right());
    shmem_uint64_wait_until(&in_statics, SHMEM_CMP_GE, 2);
    CHECK_EACH(40, row[40 + i], 1000 * t_left() + i);
    shmem_long_put_signal(block, own, 40, &signals[1], 3, SHMEM_SIGNAL_SET, t_right());
    while (!shmem_uint64_test(&signals[1], SHMEM_CMP_EQ, 3))
        ;
    CHECK_EACH(40, block[i], 1000 * t_left() + i);
    shmem_putmem_signal(large, large, 0, &signals[2], 4, SHMEM_SIGNAL_SET, t_right());
    CHECK_EQ(shmem_uint64_wait_until_any(signals, 3, NULL, SHMEM_CMP_EQ, 4), 2);
    shmem_long_atomic_set(&row[N - 1], -1, t_right());
    shmem_long_wait_until(&row[N - 1], SHMEM_CMP_LT, 0);
    shmem_barrier_all();
}

static void together(void)
{
    const int each = N / t_npes / 2;
    for (int i = 0; i < N; i++)
        row[i] = t_me + i;
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, all, row, N), 0);
    CHECK_EACH(N, all[i], (long)t_npes * i + (long)t_npes * (t_npes - 1) / 2);
    shmem_team_sync(SHMEM_TEAM_WORLD); /* others write to `all` when they go on */
    CHECK_EQ(shmem_long_fcollect(SHMEM_TEAM_WORLD, all, row, N), 0);
    CHECK_EACH(N * t_npes, all[i], i / N + i % N);
    shmem_team_sync(SHMEM_TEAM_WORLD);
    if (t_me == t_npes - 1)
        memcpy(all, row, 20 * sizeof *all);
    CHECK_EQ(shmem_long_broadcast(SHMEM_TEAM_WORLD, all, row, 20, t_npes - 1), 0);
    CHECK_EACH(20, all[i], t_npes - 1 + i);
    shmem_team_sync(SHMEM_TEAM_WORLD);
    CHECK_EQ(shmem_long_alltoall(SHMEM_TEAM_WORLD, all, row, (size_t)each), 0);
    CHECK_EACH(each * t_npes, all[i], (long)t_me * each + i % each + i / each);
    shmem_barrier_all();
}

static void look(void)
{
    long *there = shmem_ptr(row, t_right());
    CHECK(shmem_ptr(row, t_me) == row && shmem_addr_accessible(row, t_right()));
    CHECK_PTR(shmem_team_ptr(SHMEM_TEAM_WORLD, row, t_right()), there);
    row[3] = 33 + t_me;
    shmem_barrier_all();
    if (there)
        CHECK_EQ(there[3], 33 + t_right());
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    shmemx_space_config_t config = {.size = (size_t)4 << 20};
    t_init();
    if (argc > 1)
        config.kind = atoi(argv[1]);
    if (argc > 2)
        config.path = argv[2];
    config.size += (size_t)t_npes * N * sizeof(long);
    for (int round = 0; round < 2; round++) {
        CHECK_EQ(shmemx_space_create(&config, SHMEM_TEAM_WORLD, &space), 0);
        row = shmemx_space_malloc(space, N * sizeof *row);
        all = shmemx_space_align(space, 4096, (size_t)t_npes * N * sizeof *all);
        large = shmemx_space_malloc(space, LONG);
        signals = shmemx_space_calloc(space, 3, sizeof *signals);
        CHECK(row && all && large && signals && (uintptr_t)all % 4096 == 0);
        memset(row, 0, N * sizeof *row);
        shmem_barrier_all();
        move();
        move_later();
        change();
        signal_all();
        together();
        look();
        shmemx_space_free(space, row);
        shmem_free(all); /* any block is freed by either */
        CHECK_EQ(shmemx_space_destroy(space), 0);
    }
    return t_done();
}
