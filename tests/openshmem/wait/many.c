/* The forms with many variables, every type: all, any and some, waiting and testing, with one value and with a value
 * per variable; masks, empty sets, indices into the whole array, what is left alone.
 * shmem_TYPENAME_{wait_until,test}_{all,any,some}[_vector]
 * rules: 20 229 235 236 237 238 240 241 242 244 50 */
#include "check.h"
#include "types.h"

#define T_SHORTS(X) X(short, short, SHORT) X(ushort, unsigned short, USHORT)

enum { N = 9 };

/* Mask with the elements of `bits` included; any nonzero number excludes. */
static const int *mask(unsigned bits)
{
    static int status[N];
    for (int i = 0; i < N; i++)
        status[i] = bits >> i & 1 ? 0 : i % 2 ? -5 : 1;
    return status;
}

/* The mask is as it was made. */
#define MASK_KEPT(bits)                                                                                       \
    do {                                                                                                      \
        int t_kept[N];                                                                                        \
        memcpy(t_kept, status, sizeof t_kept);                                                                \
        CHECK_BYTES(t_kept, mask(bits), sizeof t_kept);                                                       \
    } while (0)

/* `count` indices say exactly which of `bits` are set; the rest of the array is untouched. */
static void check_some(size_t count, const size_t *indices, unsigned bits)
{
    unsigned got = 0;
    CHECK_EQ(count, __builtin_popcount(bits));
    for (size_t i = 0; i < N; i++)
        if (i < count) {
            CHECK(indices[i] < N);
            CHECK(!(got >> indices[i] & 1)); /* unique */
            got |= 1u << indices[i];
        } else
            CHECK_EQ(indices[i], 12345);
    CHECK_EQ(got, bits);
}

static void clear(size_t *indices)
{
    for (int i = 0; i < N; i++)
        indices[i] = 12345;
}

/* UPDATE(NAME) changes a word of a peer. */
#define AMO_SET(NAME) T_OF(NAME, atomic_set)
#define PUT(NAME) T_OF(NAME, p)

#define MANY(NAME, TYPE, UPDATE)                                                                                      \
    /* Element i is 1 where `set` says so, else 0; all combinations of a few sets and masks. */                       \
    static void combos_##NAME(TYPE *ivars)                                                                            \
    {                                                                                                                 \
        static const unsigned some_sets[] = {0, 1, 0x100, 0x1ff, 0xaa, 0x155, 0x10, 0x0f};                            \
        TYPE ones[N], each[N];                                                                                        \
        size_t indices[N], any;                                                                                       \
        t_what = #NAME " combinations";                                                                               \
        for (int i = 0; i < N; i++)                                                                                   \
            ones[i] = 1;                                                                                              \
        for (unsigned a = 0; a < 8; a++)                                                                              \
            for (unsigned b = 0; b < 8; b++) {                                                                        \
                const unsigned set = some_sets[a], in = some_sets[b], both = set & in;                                \
                const int *status = in == 0x1ff ? NULL : mask(in);                                                    \
                for (int i = 0; i < N; i++) {                                                                         \
                    UPDATE(NAME)(&ivars[i], (TYPE)(set >> i & 1), t_me);                                              \
                    each[i] = (TYPE)(set >> i & 1 ? 1 : 3 + i);                                                       \
                }                                                                                                     \
                shmem_quiet();                                                                                        \
                CHECK_EQ(T_OF(NAME, test_all)(ivars, N, status, SHMEM_CMP_EQ, 1), both == in);                        \
                CHECK_EQ(T_OF(NAME, test_all_vector)(ivars, N, status, SHMEM_CMP_EQ, ones), both == in);              \
                CHECK_EQ(T_OF(NAME, test_all_vector)(ivars, N, status, SHMEM_CMP_EQ, each), both == in);              \
                any = T_OF(NAME, test_any)(ivars, N, status, SHMEM_CMP_GE, 1);                                        \
                CHECK(both ? any < N && (both >> any & 1) : any == SIZE_MAX);                                         \
                any = T_OF(NAME, test_any_vector)(ivars, N, status, SHMEM_CMP_EQ, each);                              \
                CHECK(both ? any < N && (both >> any & 1) : any == SIZE_MAX);                                         \
                clear(indices);                                                                                       \
                check_some(T_OF(NAME, test_some)(ivars, N, indices, status, SHMEM_CMP_NE, 0), indices,                \
                           both);                                                                                     \
                clear(indices);                                                                                       \
                check_some(T_OF(NAME, test_some_vector)(ivars, N, indices, status, SHMEM_CMP_EQ, each),               \
                           indices, both);                                                                            \
                if (both == in) { /* true for empty sets too: returns at once */                                      \
                    T_OF(NAME, wait_until_all)(ivars, N, status, SHMEM_CMP_GT, 0);                                    \
                    T_OF(NAME, wait_until_all_vector)(ivars, N, status, SHMEM_CMP_EQ, each);                          \
                }                                                                                                     \
                if (both || !in) {                                                                                    \
                    any = T_OF(NAME, wait_until_any)(ivars, N, status, SHMEM_CMP_EQ, 1);                              \
                    CHECK(in ? any < N && (both >> any & 1) : any == SIZE_MAX);                                       \
                    any = T_OF(NAME, wait_until_any_vector)(ivars, N, status, SHMEM_CMP_EQ, each);                    \
                    CHECK(in ? any < N && (both >> any & 1) : any == SIZE_MAX);                                       \
                    clear(indices);                                                                                   \
                    check_some(T_OF(NAME, wait_until_some)(ivars, N, indices, status, SHMEM_CMP_EQ, 1),               \
                               indices, both);                                                                        \
                    clear(indices);                                                                                   \
                    check_some(                                                                                       \
                        T_OF(NAME, wait_until_some_vector)(ivars, N, indices, status, SHMEM_CMP_EQ, each),            \
                        indices, both);                                                                               \
                }                                                                                                     \
                if (status)                                                                                           \
                    MASK_KEPT(in);                                                                                    \
                for (int i = 0; i < N; i++)                                                                           \
                    CHECK(ivars[i] == (TYPE)(set >> i & 1));                                                          \
            }                                                                                                         \
    }                                                                                                                 \
    /* Length 0: no pointer is looked at. */                                                                          \
    static void nothing_##NAME(void)                                                                                  \
    {                                                                                                                 \
        t_what = #NAME " length 0";                                                                                   \
        T_OF(NAME, wait_until_all)((TYPE *)NULL, 0, NULL, SHMEM_CMP_EQ, 1);                                           \
        T_OF(NAME, wait_until_all_vector)((TYPE *)NULL, 0, NULL, SHMEM_CMP_EQ, NULL);                                 \
        CHECK(T_OF(NAME, wait_until_any)((TYPE *)NULL, 0, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX);                        \
        CHECK(T_OF(NAME, wait_until_any_vector)((TYPE *)NULL, 0, NULL, SHMEM_CMP_EQ, NULL) == SIZE_MAX);              \
        CHECK_EQ(T_OF(NAME, wait_until_some)((TYPE *)NULL, 0, NULL, NULL, SHMEM_CMP_EQ, 1), 0);                       \
        CHECK_EQ(T_OF(NAME, wait_until_some_vector)((TYPE *)NULL, 0, NULL, NULL, SHMEM_CMP_EQ, NULL), 0);             \
        CHECK_EQ(T_OF(NAME, test_all)((TYPE *)NULL, 0, NULL, SHMEM_CMP_EQ, 1), 1);                                    \
        CHECK_EQ(T_OF(NAME, test_all_vector)((TYPE *)NULL, 0, NULL, SHMEM_CMP_EQ, NULL), 1);                          \
        CHECK(T_OF(NAME, test_any)((TYPE *)NULL, 0, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX);                              \
        CHECK(T_OF(NAME, test_any_vector)((TYPE *)NULL, 0, NULL, SHMEM_CMP_EQ, NULL) == SIZE_MAX);                    \
        CHECK_EQ(T_OF(NAME, test_some)((TYPE *)NULL, 0, NULL, NULL, SHMEM_CMP_EQ, 1), 0);                             \
        CHECK_EQ(T_OF(NAME, test_some_vector)((TYPE *)NULL, 0, NULL, NULL, SHMEM_CMP_EQ, NULL), 0);                   \
    }                                                                                                                 \
    /* The neighbour sets them one after another, in an order of its own; each way of waiting gets them. */           \
    static void told_##NAME(TYPE *ivars)                                                                              \
    {                                                                                                                 \
        TYPE want[N];                                                                                                 \
        t_what = #NAME " told";                                                                                       \
        for (int way = 0; way < 6; way++) {                                                                           \
            int left = N, status[N] = {0};                                                                            \
            for (int i = 0; i < N; i++) {                                                                             \
                UPDATE(NAME)(&ivars[i], 0, t_me);                                                                     \
                want[i] = (TYPE)(way < 3 ? 42 : 42 + i);                                                              \
            }                                                                                                         \
            shmem_barrier_all();                                                                                      \
            for (int i = 0; i < N; i++)                                                                               \
                UPDATE(NAME)(&ivars[i * 4 % N], want[i * 4 % N], t_right());                                          \
            while (left > 0) {                                                                                        \
                size_t got[N], count = 1;                                                                             \
                switch (way) {                                                                                        \
                case 0:                                                                                               \
                    T_OF(NAME, wait_until_all)(ivars, N, status, SHMEM_CMP_EQ, 42);                                   \
                    left = 0;                                                                                         \
                    break;                                                                                            \
                case 1: got[0] = T_OF(NAME, wait_until_any)(ivars, N, status, SHMEM_CMP_GT, 41); break;               \
                case 2: count = T_OF(NAME, wait_until_some)(ivars, N, got, status, SHMEM_CMP_NE, 0); break;           \
                case 3:                                                                                               \
                    T_OF(NAME, wait_until_all_vector)(ivars, N, NULL, SHMEM_CMP_GE, want);                            \
                    left = 0;                                                                                         \
                    break;                                                                                            \
                case 4: got[0] = T_OF(NAME, wait_until_any_vector)(ivars, N, status, SHMEM_CMP_EQ, want); break;      \
                default: count = T_OF(NAME, wait_until_some_vector)(ivars, N, got, status, SHMEM_CMP_EQ, want);       \
                }                                                                                                     \
                if (left == 0)                                                                                        \
                    break;                                                                                            \
                CHECK(count >= 1 && count <= (size_t)left);                                                           \
                for (size_t i = 0; i < count; i++) {                                                                  \
                    CHECK(got[i] < N && status[got[i]] == 0);                                                         \
                    status[got[i] % N] = 1;                                                                           \
                }                                                                                                     \
                left -= (int)count;                                                                                   \
            }                                                                                                         \
            for (int i = 0; i < N; i++)                                                                               \
                CHECK(ivars[i] == want[i]);                                                                           \
            shmem_barrier_all();                                                                                      \
        }                                                                                                             \
    }                                                                                                                 \
    static TYPE static_##NAME[N];                                                                                     \
    static void run_##NAME(void)                                                                                      \
    {                                                                                                                 \
        TYPE *heap = (TYPE *)t_malloc(N * sizeof(TYPE));                                                              \
        combos_##NAME(heap);                                                                                          \
        combos_##NAME(static_##NAME);                                                                                 \
        nothing_##NAME();                                                                                             \
        told_##NAME(heap);                                                                                            \
        told_##NAME(static_##NAME);                                                                                   \
        shmem_free(heap);                                                                                             \
    }
#define BY_AMO(NAME, TYPE, KIND) MANY(NAME, TYPE, AMO_SET)
#define BY_PUT(NAME, TYPE, KIND) MANY(NAME, TYPE, PUT)
T_AMO_STD(BY_AMO)
T_SHORTS(BY_PUT)

/* PE 0 waits for two words, of which PE 1 never makes both 1 at a time. Where PE 0 comes too late to see the first,
 * it sees it in a later turn. */
static void never_at_once(void)
{
    static long pair[2], done;
    t_what = "never at once";
    pair[0] = 1;
    shmem_barrier_all();
    if (t_me == 0) {
        T_OF(long, wait_until_all)(pair, 2, NULL, SHMEM_CMP_EQ, 1);
        shmem_long_atomic_set(&done, 1, 1);
    }
    if (t_me == 1)
        for (unsigned pause = 50000; !shmem_long_atomic_fetch(&done, 1); pause *= 2)
            for (int i = 0; i < 2; i++) {
                shmem_long_atomic_set(&pair[!i], 0, 0);
                shmem_quiet();
                shmem_long_atomic_set(&pair[i], 1, 0);
                usleep(pause);
            }
    shmem_barrier_all();
}

#define CALL(NAME, TYPE, KIND) run_##NAME();

int main(void)
{
    t_init();
    T_AMO_STD(CALL)
    T_SHORTS(CALL)
    if (t_npes > 1)
        never_at_once();
    return t_done();
}
