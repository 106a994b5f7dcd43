/* Memory of devices on either side of each kind of call. A PE's first space lies on one device, its second one on the
 * other, and neighbours begin with different devices. spaces/use.c and the lines with -DT_SPACE=5 do the rest.
 * Argument: "touch": the library is made to read memory of a device by the CPU; "own": the program does so. */
#include "check.h"

#include <shmemx.h>

enum { N = 500 };

static long in_statics[N], p_sync[SHMEM_BCAST_SYNC_SIZE];
static long *here, *there, *heap; /* N elements each: in the two spaces, and in the heap */
static shmemx_space_t spaces[2];

/* From each kind of memory to each kind: put, get, and both with strides. */
static void move(void)
{
    long *kinds[] = {here, there, heap, in_statics};
    for (int k = 0; k < 16; k++) {
        long *source = kinds[k / 4], *dest = kinds[k % 4] + N / 2;
        for (int i = 0; i < N / 2; i++)
            source[i] = 1000 * t_me + i;
        shmem_barrier_all();
        shmem_long_put_nbi(dest, source, 50, t_right());
        shmem_long_iput(dest + 100, source, 3, 2, 20, t_right());
        shmem_barrier_all();
        CHECK_EACH(50, dest[i], 1000 * t_left() + i);
        CHECK_EACH(20, dest[100 + 3 * i], 1000 * t_left() + 2 * i);
        shmem_barrier_all();
        shmem_long_get_nbi(dest, source + 60, 50, t_right());
        shmem_quiet();
        CHECK_EACH(50, dest[i], 1000 * t_right() + 60 + i);
        shmem_long_iget(dest + 1, source, 2, 3, 20, t_right());
        CHECK_EACH(20, dest[1 + 2 * i], 1000 * t_right() + 3 * i);
        CHECK_EACH(20, dest[2 * i], 1000 * t_right() + 60 + 2 * i);
        shmem_barrier_all();
    }
}

static void change(void)
{
    uint64_t *signals = shmemx_space_calloc(spaces[0], 2, sizeof *signals);
    long *lock = shmemx_space_calloc(spaces[1], 1, sizeof *lock);
    here[0] = here[1] = there[0] = 0;
    shmem_barrier_all();
    shmem_long_atomic_fetch_add_nbi(&there[1], &here[0], 5, t_right()); /* the result, too, lies there */
    shmem_quiet();
    CHECK_EQ(there[1], 0);
    shmem_long_put_signal_nbi(here + 10, there + 10, 20, &signals[1], 7, SHMEM_SIGNAL_ADD, t_right());
    CHECK_EQ(shmem_signal_wait_until(&signals[1], SHMEM_CMP_EQ, 7), 7);
    CHECK_EQ(shmem_signal_fetch(&signals[1]), 7);
    CHECK_EQ(shmem_uint64_test_any(signals, 2, NULL, SHMEM_CMP_NE, 0), 1);
    shmem_barrier_all();
    CHECK_EQ(here[0], 5);
    for (int i = 0; i < 20; i++) {
        shmem_set_lock(lock);
        const long old = shmem_long_g(&here[1], 0);
        shmem_long_p(&here[1], old + 1, 0);
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    if (t_me == 0)
        CHECK_EQ(here[1], 20 * t_npes);
    shmem_barrier_all();
}

/* What collectives leave alone stays as it was. */
static void together(void)
{
    shmemx_req_t req;
    for (int i = 0; i < N; i++)
        here[i] = t_me + i, there[i] = -1 - i;
    shmem_barrier_all();
    CHECK_EQ(shmem_long_alltoalls(SHMEM_TEAM_WORLD, there, here, 3, 2, 4), 0);
    CHECK_EACH(4 * t_npes, there[3 * i], i / 4 + 2 * (4 * t_me + i % 4));
    CHECK_EACH(4 * t_npes, there[3 * i + 1], -1 - (3 * i + 1));
    shmem_barrier_all();
    shmem_broadcast64(there, here, 5, 0, 0, 0, t_npes, p_sync);
    CHECK_EACH(5, there[i], t_me ? i : i % 3 ? -1 - i : i / 3 / 4 + 2 * (i / 3 % 4));
    shmem_barrier_all();
    CHECK_EQ(shmem_long_collect(SHMEM_TEAM_WORLD, there, here + 1, (size_t)t_me + 1), 0);
    for (int pe = 0, at = 0; pe < t_npes; at += ++pe)
        CHECK_EACH(pe + 1, there[at + i], pe + 1 + i);
    CHECK_EACH(20, there[N - 1 - i], i - N); /* behind all of it */
    shmem_barrier_all();
    CHECK_EQ(shmemx_long_collect_nb(SHMEM_TEAM_WORLD, there, here, (size_t)t_me, &req), 0);
    shmemx_req_wait(&req);
    for (int pe = 0, at = 0; pe < t_npes; at += pe++)
        CHECK_EACH(pe, there[at + i], pe + i);
    CHECK_EACH(20, there[N - 1 - i], i - N);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, here, here, 30), 0); /* in place */
    CHECK_EACH(30, here[i], (long)t_npes * i + (long)t_npes * (t_npes - 1) / 2);
    CHECK_EQ(here[30], t_me + 30);
    shmem_barrier_all();
    CHECK_EQ(shmemx_long_max_reduce_nb(SHMEM_TEAM_WORLD, there, here + 30, 30, &req), 0);
    shmemx_req_wait(&req);
    CHECK_EACH(30, there[i], t_npes - 1 + 30 + i);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_fcollect(SHMEM_TEAM_WORLD, heap, here + 40, 10), 0);
    CHECK_EACH(10 * t_npes, heap[i], i / 10 + 40 + i % 10);
    shmem_barrier_all();
}

static void look(void)
{
    CHECK_PTR(shmem_ptr(here, t_me), here);
    CHECK(t_npes == 1 || (!shmem_ptr(here, t_right()) && shmem_addr_accessible(here, t_right())));
    for (int i = 0; i < N; i++)
        here[i] = t_me + i;
    here = shmem_realloc(here, 100 * N * sizeof *here); /* it moves, because another block follows */
    CHECK_EACH(N, here[i], t_me + i);
    CHECK((uintptr_t)shmemx_space_align(spaces[1], 4096, 8) % 4096 == 0);
}

int main(int argc, char **argv)
{
    t_init();
    for (int k = 0; k < 2; k++) {
        const shmemx_space_config_t on = {1 << 20, SHMEMX_SPACE_DEVICE, (t_me + k) % 2, NULL};
        CHECK_EQ(shmemx_space_create(&on, SHMEM_TEAM_WORLD, &spaces[k]), 0);
    }
    heap = t_malloc(N * sizeof *heap);
    here = shmemx_space_calloc(spaces[0], N, sizeof *here);
    there = shmemx_space_malloc(spaces[1], N * sizeof *there);
    if (argc > 1 && !strcmp(argv[1], "touch"))
        shmem_long_wait_until_all_vector(heap, 1, NULL, SHMEM_CMP_EQ, here);
    if (argc > 1 && !strcmp(argv[1], "own"))
        here[0] = 1;
    CHECK_EACH(N, here[i], 0);
    move();
    change();
    together();
    look();
    CHECK_EQ(shmemx_space_destroy(spaces[1]), 0); /* the other one is left */
    return t_done();
}
