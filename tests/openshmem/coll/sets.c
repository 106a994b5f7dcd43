/* Active-set collectives that move data: both sizes, all routines, every root, strides 2^k, several disjoint sets at
 * once, sets that change in sequence; the root's dest is left alone, pSync is left as it was, only members take
 * part. Argument: `heap` or `statics`, where buffers and pSync lie.
 * shmem_{broadcast,collect,fcollect,alltoall,alltoalls}{32,64}, shmem_sync, shmem_barrier
 * rules: 7 182 184 190 200 201 204 205 206 207 219 220 221 222 223 225 226 227 228 */
#include "coll/coll.h"

enum { MOST = 230000, GUARD = 64, TURNS = 8 };
static unsigned char static_buffers[4][MOST + GUARD] __attribute__((aligned(16)));
static long static_syncs[TURNS + 1][SHMEM_SYNC_SIZE];

typedef struct {
    const char *name;
    size_t size;
    void (*broadcast)(void *, const void *, size_t, int, int, int, int, long *);
    void (*collect)(void *, const void *, size_t, int, int, int, long *);
    void (*fcollect)(void *, const void *, size_t, int, int, int, long *);
    void (*alltoall)(void *, const void *, size_t, int, int, int, long *);
    void (*alltoalls)(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int, int, int, long *);
} mover;
static const mover all[] = {
    {"32", 4, shmem_broadcast32, shmem_collect32, shmem_fcollect32, shmem_alltoall32, shmem_alltoalls32},
    {"64", 8, shmem_broadcast64, shmem_collect64, shmem_fcollect64, shmem_alltoall64, shmem_alltoalls64}};

static int start, log_stride, size, me; /* the set at work */
static unsigned char *buffers[4], *dest, *source;
static long (*syncs)[SHMEM_SYNC_SIZE];
static int turn;

static int member(int i) { return start + (i << log_stride); }

/* Takes the next buffers and the next pSync. */
static long *prepare(size_t len)
{
    turn++;
    dest = buffers[turn & 1];
    source = buffers[2 + (turn & 1)];
    if (len > MOST)
        T_DIE("%zu bytes do not fit", len);
    memset(dest, 0x77, len + GUARD);
    t_fill(source, len, (unsigned)t_me);
    shmem_sync(start, log_stride, size, syncs[TURNS]);
    return syncs[turn % TURNS];
}

static void check_part(const char *what, const unsigned char *got, size_t from, size_t n, int pe)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != t_byte(from + i, (unsigned)pe)) {
            t_fail(__FILE__, __LINE__, "%s: byte %zu of %zu from PE %d is 0x%02x, expected 0x%02x", what, i, n, pe,
                   got[i], t_byte(from + i, (unsigned)pe));
            return;
        }
}

static void check_sync(const long *sync)
{
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        CHECK_EQ(sync[i], SHMEM_SYNC_VALUE);
}

static void one_size(const mover *m, size_t n)
{
    static const ptrdiff_t strides[][2] = {{1, 1}, {2, 1}, {1, 3}, {3, 2}};
    const size_t len = n * m->size, set = (size_t)size;
    long *sync;
    size_t at = 0;
    for (int root = 0; root < size; root++) {
        sync = prepare(len);
        m->broadcast(dest, source, n, root, start, log_stride, size, sync);
        if (me == root)
            CHECK_FILL(dest, 0x77, len);
        else
            check_part("broadcast", dest, 0, len, member(root));
        CHECK_FILL(dest + len, 0x77, GUARD);
        check_part("source", source, 0, len, t_me);
        check_sync(sync);
    }
    sync = prepare(len * set);
    m->fcollect(dest, source, n, start, log_stride, size, sync);
    for (int i = 0; i < size; i++)
        check_part("fcollect", dest + (size_t)i * len, 0, len, member(i));
    CHECK_FILL(dest + len * set, 0x77, GUARD);
    check_sync(sync);

    sync = prepare((len + 3 * set * m->size) * set);
    m->collect(dest, source, me % 3 == 1 ? 0 : n + (size_t)me, start, log_stride, size, sync);
    for (int i = 0; i < size; i++) {
        const size_t count = i % 3 == 1 ? 0 : n + (size_t)i;
        check_part("collect", dest + at, 0, count * m->size, member(i));
        at += count * m->size;
    }
    CHECK_FILL(dest + at, 0x77, GUARD);
    check_sync(sync);

    sync = prepare(len * set);
    m->alltoall(dest, source, n, start, log_stride, size, sync);
    for (int k = 0; k < size; k++)
        check_part("alltoall", dest + (size_t)k * len, (size_t)me * len, len, member(k));
    CHECK_FILL(dest + len * set, 0x77, GUARD);
    check_sync(sync);

    for (unsigned s = 0; s < sizeof strides / sizeof *strides; s++) {
        const size_t dst = (size_t)strides[s][0], sst = (size_t)strides[s][1];
        sync = prepare(3 * len * set);
        m->alltoalls(dest, source, strides[s][0], strides[s][1], n, start, log_stride, size, sync);
        for (size_t e = 0; e < n * set; e++) {
            const size_t from = ((size_t)me * n + e % n) * sst * m->size;
            check_part("alltoalls", dest + e * dst * m->size, from, m->size, member((int)(e / n)));
            CHECK_FILL(dest + (e * dst + 1) * m->size, 0x77, (dst - 1) * m->size);
        }
        CHECK_FILL(dest + n * set * dst * m->size, 0x77, GUARD);
        check_sync(sync);
    }
}

/* Everything on one set; those outside do nothing at all. */
static void on(int from, int log, int n)
{
    static const size_t counts[] = {0, 1, 3, 7, 33, 515};
    start = from, log_stride = log, size = n;
    me = (t_me - start) >> log;
    T_WHAT("%d+%d*2^%d", start, size, log_stride);
    if (t_me < start || (t_me - start) & ((1 << log) - 1) || me >= size)
        return;
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int k = 0; k < 2; k++)
            one_size(&all[k], counts[c]);
}

/* One PE alone: its stride says nothing, however long. */
static void alone(void)
{
    static const int logs[] = {0, 31, 32, 63, 64, 1000};
    long *from = (long *)buffers[0], *to = (long *)buffers[1];
    for (unsigned k = 0; k < sizeof logs / sizeof *logs; k++) {
        T_WHAT("%d+1*2^%d", t_me, logs[k]);
        from[0] = t_me + 7, from[1] = logs[k], to[0] = to[1] = -1;
        shmem_fcollect64(to, from, 2, t_me, logs[k], 1, syncs[k]);
        CHECK_EQ(to[0], t_me + 7);
        CHECK_EQ(to[1], logs[k]);
        shmem_barrier(t_me, logs[k], 1, syncs[k]);
    }
}

int main(int argc, char **argv)
{
    const int heap = argc > 1 && !strcmp(argv[1], "heap");
    t_init();
    for (int k = 0; k < 4; k++)
        buffers[k] = heap ? t_malloc(MOST + GUARD) : static_buffers[k];
    syncs = heap ? t_malloc(sizeof static_syncs) : static_syncs;
    for (int k = 0; k <= TURNS; k++)
        for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
            syncs[k][i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    on(0, 0, t_npes);
    /* every second, every fourth: disjoint sets at the same time; a PE goes on to its next set without waiting for
     * those outside */
    for (int log = 1; log < 4; log++) {
        const int stride = 1 << log, first = t_me % stride;
        on(first, log, (t_npes - 1 - first) / stride + 1);
    }
    on(t_npes - 1, 2, 1);
    on(t_npes / 3, 0, t_npes - t_npes / 3);
    on(0, 0, (t_npes + 1) / 2);
    on(0, 0, t_npes);
    alone();
    return t_done();
}
