/* Puts, gets, AMOs, fences, quiets, signals and contexts in random order, on blocks of the heap and of the statics, by
 * one thread of each PE or by several. In a round each block and each word for AMOs belongs to one thread of one PE: an
 * actor. It alone touches them, so what a get or an AMO gives is known. Some puts leave the block to an heir: a flag
 * follows, for which the heir waits and compares the block. Other words are added to by everybody. At the end of a
 * round each PE compares all of its memory.
 * Argument: threads of each PE (default 1).
 * rules: 43 48 82 126 127 138 139 148 149 151 152 162 163 231 245 246 247 */
#include "random/random.h"

#include <pthread.h>

enum { ROUNDS = 4, OPS = 40, MOST_OPS = 400, MOST_THREADS = 8, CTXS = 4, MOST_READS = 64 };
enum { AREAS = 2, SHARED = 2, WORDS = 4, BLOCKS = 8, CELLS = 2 * WORDS + BLOCKS };

/* Blocks of sizes that go in different ways between nodes, and their places. */
static const size_t at[BLOCKS + 1] = {0, 8, 24, 104, 1104, 5200, 13400, 35000, 110000};
typedef struct {
    uint64_t wide[WORDS], sum, exor, flags[MOST_OPS];
    uint32_t narrow[WORDS];
    unsigned char data[110000];
} memory;
static memory in_statics, *area[AREAS];
static shmem_team_t backwards;
static pthread_barrier_t gate;
static int threads = 1, ops;
static uint64_t seed;

/* A get or a fetch under way: what it must have brought when its context is quiet. */
typedef struct {
    int ctx;
    size_t size;
    unsigned char *got, *want;
} reading;

typedef struct {
    int number;
    uint64_t common, own; /* the schedule's sequence, and one that nobody else knows */
    memory (*model)[AREAS]; /* of each PE */
    shmem_ctx_t ctx[CTXS];
    uint8_t *writes, *reads; /* contexts by which writes and reads of each cell are under way: a bit each */
    reading reading[MOST_READS];
    int readings;
    void **kept; /* sources of nonblocking puts, until the round's end */
    int keeping;
} actor;

/* --- contexts */

/* Context 3 is of a team of all PEs in reverse. */
static int pe_of(int c, int pe) { return c == 3 ? t_npes - 1 - pe : pe; }

static void make_ctx(actor *a, int c)
{
    static const long options[] = {0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE};
    const long option = options[r_below(&a->own, 3)];
    if (c == 0)
        a->ctx[c] = SHMEM_CTX_DEFAULT;
    else if (c == 3)
        CHECK_EQ(shmem_team_create_ctx(backwards, option, &a->ctx[c]), 0);
    else
        CHECK_EQ(shmem_ctx_create(option, &a->ctx[c]), 0);
}

/* All operations of a context are complete. */
static void completed(actor *a, int c)
{
    int left = 0;
    for (int i = 0; i < t_npes * AREAS * CELLS; i++) {
        a->writes[i] &= (uint8_t)~(1 << c);
        a->reads[i] &= (uint8_t)~(1 << c);
    }
    for (int i = 0; i < a->readings; i++) {
        const reading r = a->reading[i];
        if (r.ctx != c) {
            a->reading[left++] = r;
            continue;
        }
        CHECK_BYTES(r.got, r.want, r.size);
        free(r.got);
        free(r.want);
    }
    a->readings = left;
}

static void complete(actor *a, int c)
{
    if (c > 0 && r_below(&a->own, 10) == 0) {
        shmem_ctx_destroy(a->ctx[c]);
        make_ctx(a, c);
    } else
        shmem_ctx_quiet(a->ctx[c]);
    completed(a, c);
}

/* Before an operation by context c on a cell: completes, or orders, what is under way there. */
static void before(actor *a, int cell, int c, int is_write)
{
    uint8_t *writes = &a->writes[cell], *reads = &a->reads[cell];
    if (is_write && !*reads && *writes == 1 << c && a->readings < MOST_READS && r_below(&a->own, 2))
        shmem_ctx_fence(a->ctx[c]);
    else
        for (int k = 0; k < CTXS; k++)
            if ((*writes | *reads) >> k & 1 || a->readings == MOST_READS)
                complete(a, k);
    *(is_write ? writes : reads) |= (uint8_t)(1 << c);
}

/* Memory for what a nonblocking operation brings: it must then be `want`. */
static void *bring(actor *a, int c, const void *want, size_t size)
{
    reading r = {c, size, malloc(size), malloc(size)};
    memcpy(r.want, want, size);
    memset(r.got, 0xee, size);
    a->reading[a->readings++] = r;
    return r.got;
}

/* --- blocks */

static void put(actor *a, int c, unsigned char *to, size_t n, unsigned k, int pe)
{
    unsigned char *from = malloc(n);
    shmem_ctx_t ctx = a->ctx[c];
    t_fill(from, n, k);
    if (n == 8 && r_below(&a->own, 2) == 0 && (uintptr_t)to % 8 == 0)
        shmem_ctx_long_p(ctx, (long *)(void *)to, *(long *)(void *)from, pe_of(c, pe));
    else
        switch (r_below(&a->own, 5)) {
        case 0: /* even and odd bytes */
            if (n < 3000) {
                shmem_ctx_uchar_iput(ctx, to, from, 2, 2, (n + 1) / 2, pe_of(c, pe));
                shmem_ctx_uchar_iput(ctx, to + 1, from + 1, 2, 2, n / 2, pe_of(c, pe));
                break;
            } /* fall through */
        case 1:
        case 2: shmem_ctx_putmem(ctx, to, from, n, pe_of(c, pe)); break;
        default:
            shmem_ctx_putmem_nbi(ctx, to, from, n, pe_of(c, pe));
            a->kept[a->keeping++] = from;
            return;
        }
    memset(from, 0xdd, n); /* it has been read */
    free(from);
}

static void get(actor *a, int c, const unsigned char *from, const unsigned char *want, size_t n, int pe)
{
    shmem_ctx_t ctx = a->ctx[c];
    unsigned char *got;
    if (r_below(&a->own, 2)) {
        shmem_ctx_getmem_nbi(ctx, bring(a, c, want, n), from, n, pe_of(c, pe));
        return;
    }
    got = malloc(n);
    memset(got, 0xee, n);
    if (n == 8 && (uintptr_t)from % 8 == 0) {
        const long value = shmem_ctx_long_g(ctx, (const long *)(const void *)from, pe_of(c, pe));
        memcpy(got, &value, 8);
    } else if (n < 3000 && r_below(&a->own, 3) == 0) {
        shmem_ctx_uchar_iget(ctx, got, from, 2, 2, (n + 1) / 2, pe_of(c, pe));
        shmem_ctx_uchar_iget(ctx, got + 1, from + 1, 2, 2, n / 2, pe_of(c, pe));
    } else
        shmem_ctx_getmem(ctx, got, from, n, pe_of(c, pe));
    CHECK_BYTES(got, want, n);
    free(got);
}

/* Puts, then sets a flag of the block's heir, which must not see it earlier. */
static void deliver(actor *a, int c, unsigned char *to, size_t n, unsigned k, int pe, uint64_t *flag, uint64_t value,
                    int heir)
{
    shmem_ctx_t ctx = a->ctx[c];
    const int there = pe_of(c, heir), way = heir == pe ? (int)r_below(&a->own, 6) : 2;
    if (way < 2) {
        unsigned char *from = a->kept[a->keeping++] = malloc(n);
        t_fill(from, n, k);
        if (way == 0)
            shmem_ctx_putmem_signal(ctx, to, from, n, flag, value, SHMEM_SIGNAL_SET, there);
        else
            shmem_ctx_putmem_signal_nbi(ctx, to, from, n, flag, value, SHMEM_SIGNAL_ADD, there);
        return;
    }
    put(a, c, to, n, k, pe);
    if (way == 2)
        complete(a, c);
    else
        shmem_ctx_fence(a->ctx[c]);
    ctx = a->ctx[c];
    switch (way) {
    case 3: shmem_ctx_ulong_p(ctx, flag, value, there); break;
    case 4: shmem_ctx_signal_set(ctx, flag, value, there); break;
    default: shmem_ctx_uint64_atomic_set(ctx, flag, value, there);
    }
}

/* Waits for a block's flag, then compares the block. */
static void inherit(actor *a, uint64_t *flag, uint64_t value, const unsigned char *block, const unsigned char *want,
                    size_t size, int pe)
{
    unsigned char *got;
    switch (r_below(&a->own, 3)) {
    case 0: CHECK_EQ(shmem_signal_wait_until(flag, SHMEM_CMP_NE, 0), value); break;
    case 1: shmem_uint64_wait_until(flag, SHMEM_CMP_EQ, value); break;
    default:
        while (!shmem_uint64_test(flag, SHMEM_CMP_EQ, value))
            sched_yield();
    }
    if (pe == t_me) {
        CHECK_BYTES(block, want, size);
        return;
    }
    got = malloc(size);
    shmem_getmem(got, block, size, pe);
    CHECK_BYTES(got, want, size);
    free(got);
}

/* --- words */

enum { ADD, INC, SET, AND, OR, XOR, PLAIN, /* these give nothing; the others fetch */
       FETCH_ADD = PLAIN, FETCH_INC, FETCH, SWAP, MISS, HIT, FETCH_AND, FETCH_OR, FETCH_XOR, NBI, FETCH_ADD_NBI = NBI,
       SWAP_NBI, AMOS };

static uint64_t after(int amo, uint64_t old, uint64_t value)
{
    switch (amo) {
    case ADD: case FETCH_ADD: case FETCH_ADD_NBI: return old + value;
    case INC: case FETCH_INC: return old + 1;
    case SET: case SWAP: case SWAP_NBI: case HIT: return value;
    case AND: case FETCH_AND: return old & value;
    case OR: case FETCH_OR: return old | value;
    case XOR: case FETCH_XOR: return old ^ value;
    default: return old;
    }
}

#define WORD_AMO(NAME, T)                                                                                   \
    static void amo_##NAME(actor *a, int c, int amo, T *word, T value, T old, int pe)                       \
    {                                                                                                       \
        shmem_ctx_t ctx = a->ctx[c];                                                                        \
        const int there = pe_of(c, pe);                                                                     \
        T got = old;                                                                                        \
        switch (amo) {                                                                                      \
        case ADD: shmem_ctx_##NAME##_atomic_add(ctx, word, value, there); break;                            \
        case INC: shmem_ctx_##NAME##_atomic_inc(ctx, word, there); break;                                   \
        case SET: shmem_ctx_##NAME##_atomic_set(ctx, word, value, there); break;                            \
        case AND: shmem_ctx_##NAME##_atomic_and(ctx, word, value, there); break;                            \
        case OR: shmem_ctx_##NAME##_atomic_or(ctx, word, value, there); break;                              \
        case XOR: shmem_ctx_##NAME##_atomic_xor(ctx, word, value, there); break;                            \
        case FETCH_ADD: got = shmem_ctx_##NAME##_atomic_fetch_add(ctx, word, value, there); break;          \
        case FETCH_INC: got = shmem_ctx_##NAME##_atomic_fetch_inc(ctx, word, there); break;                 \
        case FETCH: got = shmem_ctx_##NAME##_atomic_fetch(ctx, word, there); break;                         \
        case SWAP: got = shmem_ctx_##NAME##_atomic_swap(ctx, word, value, there); break;                    \
        case MISS: got = shmem_ctx_##NAME##_atomic_compare_swap(ctx, word, old + 1, value, there); break;   \
        case HIT: got = shmem_ctx_##NAME##_atomic_compare_swap(ctx, word, old, value, there); break;        \
        case FETCH_AND: got = shmem_ctx_##NAME##_atomic_fetch_and(ctx, word, value, there); break;          \
        case FETCH_OR: got = shmem_ctx_##NAME##_atomic_fetch_or(ctx, word, value, there); break;            \
        case FETCH_XOR: got = shmem_ctx_##NAME##_atomic_fetch_xor(ctx, word, value, there); break;          \
        case FETCH_ADD_NBI:                                                                                 \
            shmem_ctx_##NAME##_atomic_fetch_add_nbi(ctx, bring(a, c, &old, sizeof old), word, value, there); \
            break;                                                                                          \
        case SWAP_NBI:                                                                                      \
            shmem_ctx_##NAME##_atomic_swap_nbi(ctx, bring(a, c, &old, sizeof old), word, value, there);     \
        }                                                                                                   \
        CHECK_EQ(got, old);                                                                                 \
    }
WORD_AMO(uint64, uint64_t)
WORD_AMO(uint32, uint32_t)

/* --- the schedule */

/* Everybody walks through all operations, for the model, and does its own. */
static void operation(actor *a, int number, int *owner)
{
    const int pe = (int)r_below(&a->common, (unsigned)t_npes), where = (int)r_below(&a->common, AREAS);
    const int cell = (int)r_below(&a->common, CELLS + SHARED), c = (int)r_below(&a->common, CTXS);
    const int what = (int)r_below(&a->common, AMOS), anybody = (int)r_below(&a->common, (unsigned)(t_npes * threads));
    const uint64_t value = t_random(&a->common) | 1;
    memory *there = area[where], *model = &a->model[pe][where];
    if (cell >= CELLS) {
        const int mine = anybody == a->number, exor = cell > CELLS;
        uint64_t *word = exor ? &there->exor : &there->sum, *known = exor ? &model->exor : &model->sum;
        *known = exor ? *known ^ value : *known + value;
        if (mine && exor)
            shmem_ctx_uint64_atomic_xor(a->ctx[c], word, value, pe_of(c, pe));
        else if (mine && what % 2)
            shmem_ctx_uint64_atomic_add(a->ctx[c], word, value, pe_of(c, pe));
        else if (mine)
            shmem_ctx_uint64_atomic_fetch_add(a->ctx[c], word, value, pe_of(c, pe));
        return;
    }
    const int place = (pe * AREAS + where) * CELLS + cell, mine = owner[place] == a->number;
    if (cell < 2 * WORDS) {
        const int wide = cell < WORDS, w = cell % WORDS;
        const uint64_t old = wide ? model->wide[w] : model->narrow[w];
        if (mine) {
            before(a, place, c, 1);
            if (wide)
                amo_uint64(a, c, what, &there->wide[w], value, old, pe);
            else
                amo_uint32(a, c, what, &there->narrow[w], (uint32_t)value, (uint32_t)old, pe);
            if (what >= NBI)
                a->reads[place] |= (uint8_t)(1 << c);
        }
        if (wide)
            model->wide[w] = after(what, old, value);
        else
            model->narrow[w] = (uint32_t)after(what, old, value);
        return;
    }
    const size_t begin = at[cell - 2 * WORDS], size = at[cell - 2 * WORDS + 1] - begin;
    const size_t n = size - r_size(&a->common, size), from = begin + r_size(&a->common, size - n + 1);
    const int is_read = what < AMOS / 3, is_delivered = what > AMOS * 2 / 3;
    const int heir = value & 2 ? anybody : pe * threads + number % threads;
    if (mine) {
        before(a, place, c, !is_read);
        if (is_read)
            get(a, c, there->data + from, model->data + from, n, pe);
        else if (is_delivered)
            deliver(a, c, there->data + from, n, (unsigned)value, pe, &there->flags[number], value, heir / threads);
        else
            put(a, c, there->data + from, n, (unsigned)value, pe);
    }
    if (!is_read)
        t_fill(model->data + from, n, (unsigned)value);
    if (is_delivered)
        owner[place] = heir;
    if (is_delivered && a->number == heir)
        inherit(a, &there->flags[number], value, there->data + begin, model->data + begin, size, pe);
}

/* What this PE has is what it should have. */
static void compare(const actor *a)
{
    for (int where = 0; where < AREAS; where++) {
        memory *mine = area[where];
        const memory *want = &a->model[t_me][where];
        CHECK_EACH(WORDS, mine->wide[i], want->wide[i]);
        CHECK_EACH(WORDS, mine->narrow[i], want->narrow[i]);
        CHECK_EQ(mine->sum, want->sum);
        CHECK_EQ(mine->exor, want->exor);
        CHECK_BYTES(mine->data, want->data, sizeof mine->data);
        memset(mine->flags, 0, sizeof mine->flags);
    }
}

/* A barrier of all threads of all PEs, with a comparison in the middle. */
static void barrier_and_compare(const actor *a)
{
    pthread_barrier_wait(&gate);
    if (a->number % threads == 0) {
        shmem_barrier_all();
        compare(a);
        shmem_barrier_all();
    }
    pthread_barrier_wait(&gate);
}

static void *act(void *number)
{
    actor a = {.number = (int)(intptr_t)number, .common = r_state(seed, 0)};
    const int cells = t_npes * AREAS * CELLS;
    int owner[cells];
    a.own = r_state(seed, 1 + (unsigned)a.number);
    a.model = calloc((size_t)t_npes, sizeof *a.model);
    a.writes = calloc((size_t)cells, sizeof *a.writes);
    a.reads = calloc((size_t)cells, sizeof *a.reads);
    a.kept = calloc((size_t)ops, sizeof *a.kept);
    for (int c = 0; c < CTXS; c++)
        make_ctx(&a, c);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < cells; i++)
            owner[i] = (int)r_below(&a.common, (unsigned)(t_npes * threads));
        for (int i = 0; i < ops; i++) {
            operation(&a, i, owner);
            r_be_late(&a.own);
        }
        for (int c = 0; c < CTXS; c++)
            complete(&a, c);
        while (a.keeping > 0)
            free(a.kept[--a.keeping]);
        barrier_and_compare(&a);
    }
    for (int c = 1; c < CTXS; c++)
        shmem_ctx_destroy(a.ctx[c]);
    free(a.model);
    free(a.writes);
    free(a.reads);
    free(a.kept);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST_THREADS];
    threads = argc > 1 ? atoi(argv[1]) : 1;
    if (threads > 1)
        t_init_thread(SHMEM_THREAD_MULTIPLE);
    else
        t_init();
    seed = r_seed();
    ops = OPS * t_npes * threads < MOST_OPS ? OPS * t_npes * threads : MOST_OPS;
    area[0] = shmem_malloc_with_hints(sizeof *area[0], (long)(seed % 4));
    area[1] = &in_statics;
    if (!area[0])
        T_DIE("no memory");
    memset(area[0], 0, sizeof *area[0]);
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, t_npes - 1, t_npes > 1 ? -1 : 1, t_npes, NULL, 0, &backwards),
             0);
    pthread_barrier_init(&gate, NULL, (unsigned)threads);
    shmem_barrier_all();
    for (int t = 1; t < threads; t++)
        if (pthread_create(&thread[t], NULL, act, (void *)(intptr_t)(t_me * threads + t)))
            T_DIE("no thread");
    act((void *)(intptr_t)(t_me * threads));
    for (int t = 1; t < threads; t++)
        pthread_join(thread[t], NULL);
    shmem_team_destroy(backwards);
    shmem_free(area[0]);
    return t_done();
}
