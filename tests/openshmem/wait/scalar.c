/* wait_until, test and the old wait on one variable, every type: each operator against each pair of edge values as C
 * itself compares them, satisfied before the call and by a neighbour's AMO, in heap and statics.
 * shmem_TYPENAME_{wait_until,test}, shmem_{short,ushort}_..., shmem_TYPENAME_wait, shmem_wait_until, shmem_wait
 * rules: 20 229 230 231 233 234 244 54 40 */
#include "check.h"
#include "types.h"

#ifndef TEMPLATES
#define T_CMP int
#endif
#define T_SHORTS(X) X(short, short, SHORT) X(ushort, unsigned short, USHORT)

T_AMO_STD(T_DEFINE_EDGE)
T_SHORTS(T_DEFINE_EDGE)

static const T_CMP operators[6] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE};

/* What the operator says in type TYPE. */
#define TRUTH(cmp, a, b)                                                                                      \
    ((cmp) == SHMEM_CMP_EQ   ? (a) == (b)                                                                     \
     : (cmp) == SHMEM_CMP_NE ? (a) != (b)                                                                     \
     : (cmp) == SHMEM_CMP_GT ? (a) > (b)                                                                      \
     : (cmp) == SHMEM_CMP_LE ? (a) <= (b)                                                                     \
     : (cmp) == SHMEM_CMP_LT ? (a) < (b)                                                                      \
                             : (a) >= (b))

/* UPDATE(NAME) changes a word of a peer. */
#define AMO_SET(NAME) T_OF(NAME, atomic_set)
#define PUT(NAME) T_OF(NAME, p)

#define SCALAR(NAME, TYPE, UPDATE)                                                                            \
    static void compare_##NAME(TYPE *word)                                                                    \
    {                                                                                                         \
        t_what = #NAME " comparisons";                                                                        \
        for (int i = 0; i < T_EDGES; i++)                                                                     \
            for (int j = 0; j < T_EDGES; j++)                                                                 \
                for (int k = 0; k < 6; k++) {                                                                 \
                    const TYPE a = t_edge_##NAME(i), b = t_edge_##NAME(j);                                    \
                    const int truth = TRUTH(operators[k], a, b);                                              \
                    UPDATE(NAME)(word, a, t_me);                                                              \
                    shmem_quiet();                                                                            \
                    CHECK_EQ(T_OF(NAME, test)(word, operators[k], b), truth);                                 \
                    if (truth)                                                                                \
                        T_OF(NAME, wait_until)(word, operators[k], b);                                        \
                }                                                                                             \
    }                                                                                                         \
    /* Round and round: who is told tells the next. */                                                        \
    static void relay_##NAME(TYPE *word)                                                                      \
    {                                                                                                         \
        t_what = #NAME " relay";                                                                              \
        *word = 0;                                                                                            \
        shmem_barrier_all();                                                                                  \
        for (TYPE round = 1; round <= 20; round++) {                                                          \
            if (t_me == 0)                                                                                    \
                UPDATE(NAME)(word, round, t_right());                                                         \
            switch (round % 4) {                                                                              \
            case 0: T_OF(NAME, wait_until)(word, SHMEM_CMP_EQ, round); break;                                 \
            case 1: T_OF(NAME, wait_until)(word, SHMEM_CMP_GE, round); break;                                 \
            case 2: T_OF(NAME, wait_until)(word, SHMEM_CMP_GT, (TYPE)(round - 1)); break;                     \
            default:                                                                                          \
                while (!T_OF(NAME, test)(word, SHMEM_CMP_NE, (TYPE)(round - 1)))                              \
                    ;                                                                                         \
            }                                                                                                 \
            CHECK(*word == round);                                                                            \
            if (t_me != 0)                                                                                    \
                UPDATE(NAME)(word, round, t_right());                                                         \
        }                                                                                                     \
        shmem_barrier_all();                                                                                  \
    }                                                                                                         \
    static TYPE static_##NAME;                                                                                \
    static void run_##NAME(void)                                                                              \
    {                                                                                                         \
        TYPE *heap = (TYPE *)t_malloc(sizeof(TYPE));                                                          \
        compare_##NAME(heap);                                                                                 \
        compare_##NAME(&static_##NAME);                                                                       \
        relay_##NAME(heap);                                                                                   \
        relay_##NAME(&static_##NAME);                                                                         \
        shmem_free(heap);                                                                                     \
    }
#define BY_AMO(NAME, TYPE, KIND) SCALAR(NAME, TYPE, AMO_SET)
#define BY_PUT(NAME, TYPE, KIND) SCALAR(NAME, TYPE, PUT)
T_AMO_STD(BY_AMO)
T_SHORTS(BY_PUT)

/* The old wait: until the word is another one. */
#define OLD(NAME, TYPE, WAIT)                                                                                 \
    do {                                                                                                      \
        static TYPE word;                                                                                     \
        t_what = #WAIT;                                                                                       \
        WAIT(&word, (TYPE)7); /* satisfied */                                                                 \
        shmem_barrier_all();                                                                                  \
        T_OF(NAME, p)(&word, (TYPE)-3, t_right());                                                            \
        WAIT(&word, (TYPE)0);                                                                                 \
        CHECK(word == (TYPE)-3);                                                                              \
        shmem_barrier_all();                                                                                  \
    } while (0)

static void old(void)
{
    static long word;
    OLD(short, short, shmem_short_wait);
    OLD(int, int, shmem_int_wait);
    OLD(long, long, shmem_long_wait);
    OLD(longlong, long long, shmem_longlong_wait);
    OLD(long, long, shmem_wait);
    t_what = "shmem_wait_until, the function";
    shmem_long_atomic_set(&word, LONG_MIN, t_right());
    (shmem_wait_until)(&word, (int)SHMEM_CMP_LT, LONG_MIN + 1);
    CHECK_EQ(word, LONG_MIN);
}

#define CALL(NAME, TYPE, KIND) run_##NAME();

int main(void)
{
    t_init();
    T_AMO_STD(CALL)
    T_SHORTS(CALL)
    old();
    return t_done();
}
