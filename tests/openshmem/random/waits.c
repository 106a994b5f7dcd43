/* Waits and tests of all forms in random order. In a round each PE has an array of variables, each of which another PE
 * brings to a value for which the comparison holds, after data that must then be there: by AMOs, puts and signals, some
 * by way of a value for which it does not hold. The PE waits in one form: for all, any or some, for each alone, by wait
 * or by test, with a common value or one for each, some variables masked. Some PEs wait before others know of it.
 * rules: 163 231 232 233 235 237 238 239 240 241 242 244 */
#include "random/random.h"

enum { ROUNDS = 12, MOST = 24, DATA = 5, MOST_PES = 64 };
enum { ALL, ANY, SOME, ONE, FORMS };
enum { UNTIL, TEST, UNTIL_VECTOR, TEST_VECTOR, KINDS };

/* What one PE waits for. */
typedef struct {
    int n, cmp, form, kind, waits_first;
    int masked[MOST], from[MOST], way[MOST], has_detour[MOST];
    int32_t value[MOST], start[MOST], end[MOST], detour[MOST];
} scene;

typedef struct {
    int32_t narrow[MOST];
    int64_t wide[MOST];
    uint64_t signals[MOST];
    long data[MOST][DATA];
} memory;
static memory in_statics, *mem;
static uint64_t common, own;

static int holds(int64_t x, int cmp, int64_t value)
{
    switch (cmp) {
    case SHMEM_CMP_EQ: return x == value;
    case SHMEM_CMP_NE: return x != value;
    case SHMEM_CMP_GT: return x > value;
    case SHMEM_CMP_GE: return x >= value;
    case SHMEM_CMP_LT: return x < value;
    default: return x <= value;
    }
}

/* A number near `value` for which the comparison holds, or does not. */
static int32_t near(int cmp, int32_t value, int wanted)
{
    int32_t x;
    do
        x = value + (int32_t)r_below(&common, 5) - 2;
    while (holds(x, cmp, value) != wanted || x < 0);
    return x;
}

/* The same on all PEs. A PE that waits before it updates is served by PEs of lower positions only. */
static void plan(scene *s, int position, const int *order)
{
    static const int cmps[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_GE, SHMEM_CMP_LT, SHMEM_CMP_LE};
    const int vector = (s->kind = (int)r_below(&common, KINDS)) >= UNTIL_VECTOR;
    s->n = 1 + (int)r_below(&common, MOST);
    s->cmp = cmps[r_below(&common, 6)];
    s->form = (int)r_below(&common, FORMS);
    s->waits_first = position > 0 && r_below(&common, 2);
    for (int i = 0; i < s->n; i++) {
        s->value[i] = i == 0 || vector ? 3 + (int32_t)r_below(&common, 100000) : s->value[0];
        s->masked[i] = r_below(&common, 4) == 0;
        s->start[i] = near(s->cmp, s->value[i], 0);
        s->detour[i] = near(s->cmp, s->value[i], 0);
        s->end[i] = near(s->cmp, s->value[i], 1);
        s->has_detour[i] = (int)r_below(&common, 2);
        s->way[i] = (int)r_below(&common, 5);
        s->from[i] = order[r_below(&common, (unsigned)(s->waits_first ? position : t_npes))];
    }
}

static long datum(int round, int i, int k) { return round * 100000L + i * 100 + k; }

/* All updates that this PE owes to another. */
#define UPDATE(NAME, FIELD, I)                                                                             \
    switch (s->way[I]) {                                                                                   \
    case 0: shmem_##NAME##_atomic_set(&mem->FIELD[I], s->end[I], pe); break;                               \
    case 1: shmem_##NAME##_p(&mem->FIELD[I], s->end[I], pe); break;                                        \
    case 2: shmem_##NAME##_atomic_add(&mem->FIELD[I], s->end[I] - now, pe); break;                         \
    case 3: CHECK_EQ(shmem_##NAME##_atomic_swap(&mem->FIELD[I], s->end[I], pe), now); break;               \
    default: CHECK_EQ(shmem_##NAME##_atomic_compare_swap(&mem->FIELD[I], now, s->end[I], pe), now);        \
    }
static void update(const scene *s, int round, int pe, int type)
{
    for (int i = 0; i < s->n; i++) {
        long data[DATA];
        int32_t now = s->start[i];
        if (s->from[i] != t_me)
            continue;
        if (s->has_detour[i] && type < 2) {
            now = s->detour[i];
            if (type == 0)
                shmem_int32_atomic_set(&mem->narrow[i], now, pe);
            else
                shmem_int64_atomic_set(&mem->wide[i], now, pe);
            shmem_fence();
        }
        for (int k = 0; k < DATA; k++)
            data[k] = datum(round, i, k);
        r_be_late(&own);
        if (type == 2 && s->way[i] < 3) {
            shmem_long_put_signal(mem->data[i], data, DATA, &mem->signals[i], (uint64_t)s->end[i], SHMEM_SIGNAL_SET,
                                  pe);
            continue;
        }
        shmem_long_put(mem->data[i], data, DATA, pe);
        shmem_fence();
        if (type == 0) {
            UPDATE(int32, narrow, i)
        } else if (type == 1) {
            UPDATE(int64, wide, i)
        } else
            shmem_signal_add(&mem->signals[i], (uint64_t)(s->end[i] - now), pe);
    }
}

/* Variable i has come to hold: its data are there. */
static void came(const scene *s, int round, size_t i, int64_t x)
{
    if (i >= (size_t)s->n) {
        t_fail(__FILE__, __LINE__, "index %zu of %d", i, s->n);
        return;
    }
    CHECK_EQ(x, s->end[i]);
    for (int k = 0; k < DATA; k++)
        CHECK_EQ(((volatile long *)mem->data[i])[k], datum(round, (int)i, k));
}

/* One wait or test of a form, or many until a test holds; CALL without and with `_vector`. */
#define ASK(T, NAME, FORM, NOTHING, ...)                                                                  \
    ({                                                                                                    \
        size_t found;                                                                                     \
        for (;;) {                                                                                        \
            switch (s->kind) {                                                                            \
            case UNTIL: ASK_UNTIL_##FORM(shmem_##NAME##_wait_until_##FORM, s->value[0], __VA_ARGS__) break; \
            case TEST: found = (size_t)shmem_##NAME##_test_##FORM(__VA_ARGS__, s->cmp, s->value[0]); break; \
            case UNTIL_VECTOR:                                                                            \
                ASK_UNTIL_##FORM(shmem_##NAME##_wait_until_##FORM##_vector, values, __VA_ARGS__)          \
                break;                                                                                    \
            default: found = (size_t)shmem_##NAME##_test_##FORM##_vector(__VA_ARGS__, s->cmp, values);    \
            }                                                                                             \
            if (found != (NOTHING))                                                                       \
                break;                                                                                    \
            sched_yield();                                                                                \
        }                                                                                                 \
        found;                                                                                            \
    })
#define ASK_UNTIL_all(CALL, VALUE, ...) found = 1, CALL(__VA_ARGS__, s->cmp, VALUE);
#define ASK_UNTIL_any(CALL, VALUE, ...) found = CALL(__VA_ARGS__, s->cmp, VALUE);
#define ASK_UNTIL_some ASK_UNTIL_any

#define AWAIT(NAME, T)                                                                                    \
    static void await_##NAME(const scene *s, int round, T *ivars)                                         \
    {                                                                                                     \
        int status[MOST];                                                                                 \
        size_t left = 0, some[MOST];                                                                      \
        T values[MOST];                                                                                   \
        const size_t n = (size_t)s->n;                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                  \
            values[i] = (T)s->value[i];                                                                   \
            left += !(status[i] = s->masked[i]);                                                          \
        }                                                                                                 \
        if (s->form == ALL && left > 0)                                                                   \
            ASK(T, NAME, all, 0u, ivars, n, status);                                                      \
        for (size_t i = 0; i < n && (s->form == ALL || s->form == ONE); i++) {                            \
            if (status[i])                                                                                \
                continue;                                                                                 \
            if (s->form == ONE && s->kind % 2 == UNTIL)                                                   \
                shmem_##NAME##_wait_until(&ivars[i], s->cmp, values[i]);                                  \
            while (s->form == ONE && !shmem_##NAME##_test(&ivars[i], s->cmp, values[i]))                  \
                sched_yield();                                                                            \
            came(s, round, i, (int64_t)((volatile T *)ivars)[i]);                                         \
        }                                                                                                 \
        while (left > 0 && (s->form == ANY || s->form == SOME)) {                                         \
            size_t found = 1;                                                                             \
            if (s->form == ANY)                                                                           \
                some[0] = ASK(T, NAME, any, SIZE_MAX, ivars, n, status);                                  \
            else                                                                                          \
                found = ASK(T, NAME, some, 0u, ivars, n, some, status);                                   \
            if (found > left)                                                                             \
                T_DIE("%zu found of %zu", found, left);                                                   \
            for (size_t k = 0; k < found; k++) {                                                          \
                came(s, round, some[k], (int64_t)((volatile T *)ivars)[some[k]]);                         \
                CHECK_EQ(status[some[k]], 0);                                                             \
                status[some[k]] = 1;                                                                      \
            }                                                                                             \
            left -= found;                                                                                \
        }                                                                                                 \
    }
AWAIT(int32, int32_t)
AWAIT(int64, int64_t)
AWAIT(uint64, uint64_t)

static void await(const scene *s, int round, int type)
{
    if (type == 0)
        await_int32(s, round, mem->narrow);
    else if (type == 1)
        await_int64(s, round, mem->wide);
    else if (s->form != ONE)
        await_uint64(s, round, mem->signals);
    else
        for (int i = 0; i < s->n; i++)
            if (!s->masked[i])
                came(s, round, (size_t)i,
                     (int64_t)shmem_signal_wait_until(&mem->signals[i], s->cmp, (uint64_t)s->value[i]));
}

int main(void)
{
    static scene scenes[MOST_PES];
    int order[MOST_PES];
    memory *heap;
    uint64_t seed;
    t_init();
    seed = r_seed();
    if (t_npes > MOST_PES)
        T_DIE("more than %d PEs", MOST_PES);
    common = r_state(seed, 0);
    own = r_state(seed, 1 + (unsigned)t_me);
    heap = shmem_malloc_with_hints(sizeof *heap, (long)(seed % 4));
    for (int pe = 0; pe < t_npes; pe++)
        order[pe] = pe;
    for (int round = 0; round < ROUNDS; round++) {
        const int type = (int)r_below(&common, 3);
        mem = r_below(&common, 2) ? heap : &in_statics;
        for (int i = t_npes - 1; i > 0; i--) {
            const int k = (int)r_below(&common, (unsigned)i + 1), pe = order[i];
            order[i] = order[k];
            order[k] = pe;
        }
        for (int i = 0; i < t_npes; i++)
            plan(&scenes[order[i]], i, order);
        const scene *mine = &scenes[t_me];
        for (int i = 0; i < mine->n; i++) {
            mem->narrow[i] = mine->start[i];
            mem->wide[i] = mine->start[i];
            mem->signals[i] = (uint64_t)mine->start[i];
        }
        memset(mem->data, 0xee, sizeof mem->data);
        shmem_barrier_all();
        if (mine->waits_first)
            await(mine, round, type);
        for (int k = 0; k < t_npes; k++)
            update(&scenes[(t_me + k) % t_npes], round, (t_me + k) % t_npes, type);
        if (!mine->waits_first)
            await(mine, round, type);
        shmem_barrier_all();
        for (int i = 0; i < mine->n; i++) {
            const int64_t last[] = {mem->narrow[i], mem->wide[i], (int64_t)mem->signals[i]};
            came(mine, round, (size_t)i, last[type]);
        }
        shmem_barrier_all();
    }
    shmem_free(heap);
    return t_done();
}
