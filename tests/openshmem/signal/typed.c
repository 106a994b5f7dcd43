/* put_signal, every type and size, blocking and nonblocking, with and without a context: data at its place when the
 * signal says so, both operators, zero elements, neighbours of the data untouched; data and signal in the same and in
 * different segments; right neighbour and self.
 * shmem_[ctx_]TYPENAME_put_signal[_nbi], shmem_[ctx_]put{8,16,32,64,128,mem}_signal[_nbi]
 * rules: 20 162 163 164 165 166 171 50 52 54 */
#include "check.h"
#include "types.h"

enum { N = 7, BYTES = 8 * 16 };

static unsigned char static_data[BYTES + 32];
static uint64_t static_signal;
static unsigned char *heap_data;
static uint64_t *heap_signal;
static unsigned kind; /* pattern of the next put: the same on all PEs */

/* What a round has before the call, and what has to be true after it: functions, because there are hundreds of
 * rounds. */
struct round {
    unsigned char *data, *source, *dest;
    uint64_t *sig;
    uint64_t old, value, want;
    size_t len;
    int sig_op, pe;
};

static struct round before(unsigned char *data, uint64_t *sig, int self, int n, size_t size, int op)
{
    static unsigned char source[BYTES] __attribute__((aligned(16)));
    struct round r = {.data = data, .source = source, .dest = data + 16, .sig = sig, .len = (size_t)n * size};
    r.old = op ? UINT64_MAX - 2 : 5;
    r.value = op ? 10 + kind : ~(uint64_t)kind;
    r.want = op ? r.old + r.value : r.value;
    r.sig_op = op ? SHMEM_SIGNAL_ADD : SHMEM_SIGNAL_SET;
    r.pe = self ? t_me : t_right();
    kind++;
    memset(data, 0xee, BYTES + 32);
    *sig = r.old;
    t_fill(source, BYTES, kind);
    shmem_barrier_all();
    return r;
}

/* The PE waits for what its left neighbour did. */
static void after(const struct round *r)
{
    CHECK_EQ(shmem_signal_wait_until(r->sig, SHMEM_CMP_NE, r->old), r->want);
    CHECK_PATTERN(r->dest, r->len, kind);
    CHECK_FILL(r->data, 0xee, 16);
    CHECK_FILL(r->dest + r->len, 0xee, BYTES + 16 - r->len);
    shmem_quiet(); /* the source of the nonblocking form is ours again */
    shmem_barrier_all();
}

/* One call, with no element and with N, with both operators. CALL uses dest, source, n, sig, value, sig_op, pe. */
#define ROUND(SIZE, CALL)                                                                                     \
    for (int n = 0; n <= N; n += n ? N - 1 : 1)                                                               \
        for (int op = 0; op < 2; op++) {                                                                      \
            const struct round r = before(data, sig, self, n, SIZE, op);                                      \
            unsigned char *const dest = r.dest, *const source = r.source;                                     \
            const uint64_t value = r.value;                                                                   \
            const int sig_op = r.sig_op, pe = r.pe;                                                           \
            CALL;                                                                                             \
            after(&r);                                                                                        \
        }

#define TYPED(NAME, TYPE, KIND)                                                                                     \
    t_what = #NAME;                                                                                                 \
    ROUND(sizeof(TYPE), T_OF(NAME, put_signal)((TYPE *)(void *)dest, (const TYPE *)(void *)source, n, sig, value,   \
                                                  sig_op, pe));                                                     \
    ROUND(sizeof(TYPE), T_OF(NAME, put_signal_nbi)((TYPE *)(void *)dest, (const TYPE *)(void *)source, n, sig,      \
                                                      value, sig_op, pe));                                          \
    ROUND(sizeof(TYPE), T_CTX(NAME, put_signal)(SHMEM_CTX_DEFAULT, (TYPE *)(void *)dest,                            \
                                                      (const TYPE *)(void *)source, n, sig, value, sig_op, pe));    \
    ROUND(sizeof(TYPE), T_CTX(NAME, put_signal_nbi)(SHMEM_CTX_DEFAULT, (TYPE *)(void *)dest,                        \
                                                          (const TYPE *)(void *)source, n, sig, value, sig_op, pe));

#define SIZED(NAME, SIZE)                                                                                     \
    t_what = #NAME;                                                                                           \
    ROUND(SIZE, shmem_##NAME##_signal(dest, source, n, sig, value, sig_op, pe));                              \
    ROUND(SIZE, shmem_##NAME##_signal_nbi(dest, source, n, sig, value, sig_op, pe));                          \
    ROUND(SIZE, shmem_ctx_##NAME##_signal(SHMEM_CTX_DEFAULT, dest, source, n, sig, value, sig_op, pe));       \
    ROUND(SIZE, shmem_ctx_##NAME##_signal_nbi(SHMEM_CTX_DEFAULT, dest, source, n, sig, value, sig_op, pe));

static void all(unsigned char *data, uint64_t *sig, int self)
{
    T_RMA(TYPED)
    SIZED(put8, 1)
    SIZED(put16, 2)
    SIZED(put32, 4)
    SIZED(put64, 8)
    SIZED(put128, 16)
    SIZED(putmem, 1)
}

static void few(unsigned char *data, uint64_t *sig, int self)
{
    TYPED(long, long, LONG)
    SIZED(putmem, 1)
}

int main(void)
{
    t_init();
    heap_data = shmem_align(16, BYTES + 32);
    heap_signal = t_malloc(sizeof *heap_signal);
    all(heap_data, heap_signal, 0);
    few(static_data, &static_signal, 0);
    few(static_data, heap_signal, 0);
    few(heap_data, &static_signal, 0);
    few(heap_data, heap_signal, 1);
    few(static_data, &static_signal, 1);

    t_what = "null pointers with no element";
    *heap_signal = 0;
    shmem_barrier_all();
    shmem_int_put_signal(NULL, NULL, 0, heap_signal, 9, SHMEM_SIGNAL_SET, t_right());
    CHECK_EQ(shmem_signal_wait_until(heap_signal, SHMEM_CMP_EQ, 9), 9);
    shmem_free(heap_signal);
    shmem_free(heap_data);
    return t_done();
}
