/* Compiled with -oshmpi-inline: single elements of every type, on the heap and in statics, go where calls put them, and
 * the library is not called for peers of the node. rma/inlined_calls.c counts the calls of shmem_long_p that leave the
 * program.
 * Argument: "calls" where they have to (SHMEM_DEBUG); "range", "before": a mistake, which the routine names.
 * rules: 43 127 */
#include "check.h"
#include "types.h"

extern int inlined_calls;
static long cell;

/* A type's p, g, put and get, at a place of the right neighbour and the same place here. */
#define MOVE(name, T, KIND)                                            \
    {                                                                  \
        static T there[4];                                             \
        T *heap = shmem_calloc(4, sizeof(T)), got = 0;                 \
        T *const places[2] = {there, heap};                            \
        for (int i = 0; i < 2; i++) {                                  \
            T *to = places[i], one = (T)(t_me + 7);                    \
            shmem_##name##_p(&to[0], (T)(t_me + 5), right);            \
            shmem_##name##_put(&to[1], &one, 1, right);                \
            shmem_barrier_all();                                       \
            CHECK_EQ((long)to[0], left + 5);                           \
            CHECK_EQ((long)to[1], left + 7);                           \
            CHECK_EQ((long)shmem_##name##_g(&to[0], right), t_me + 5); \
            shmem_##name##_get(&got, &to[1], 1, right);                \
            CHECK_EQ((long)got, t_me + 7);                             \
            shmem_barrier_all();                                       \
        }                                                              \
        shmem_free(heap);                                              \
    }

/* A type's AMOs on one word, by one PE at a time. */
#define CHANGE(name, T, KIND)                                                      \
    {                                                                              \
        static T word;                                                             \
        shmem_barrier_all();                                                       \
        shmem_##name##_atomic_set(&word, 40, right);                               \
        CHECK_EQ((long)shmem_##name##_atomic_fetch_add(&word, 2, right), 40);      \
        shmem_##name##_atomic_add(&word, 3, right);                                \
        CHECK_EQ((long)shmem_##name##_atomic_fetch_inc(&word, right), 45);         \
        shmem_##name##_atomic_inc(&word, right);                                   \
        CHECK_EQ((long)shmem_##name##_atomic_fetch(&word, right), 47);             \
        CHECK_EQ((long)shmem_##name##_atomic_swap(&word, 9, right), 47);           \
        CHECK_EQ((long)shmem_##name##_atomic_compare_swap(&word, 8, 1, right), 9); \
        CHECK_EQ((long)shmem_##name##_atomic_compare_swap(&word, 9, 6, right), 9); \
        CHECK_EQ((long)shmem_##name##_atomic_fetch(&word, right), 6);              \
        shmem_barrier_all();                                                       \
    }

#define BITS(name, T, KIND)                                                  \
    {                                                                        \
        static T word;                                                       \
        shmem_barrier_all();                                                 \
        shmem_##name##_atomic_or(&word, 12, right);                          \
        CHECK_EQ((long)shmem_##name##_atomic_fetch_or(&word, 3, right), 12); \
        shmem_##name##_atomic_and(&word, 7, right);                          \
        CHECK_EQ((long)shmem_##name##_atomic_fetch_and(&word, 6, right), 7); \
        shmem_##name##_atomic_xor(&word, 5, right);                          \
        CHECK_EQ((long)shmem_##name##_atomic_fetch_xor(&word, 1, right), 3); \
        CHECK_EQ((long)shmem_##name##_atomic_fetch(&word, right), 2);        \
        shmem_barrier_all();                                                 \
    }

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "before"))
        shmem_long_p(&cell, 1, 0);
    t_init();
    const int right = t_right(), left = t_left();
    if (!strcmp(how, "range") && t_me == 0) /* one PE alone: two may both print before the job ends */
        shmem_long_p(&cell, 1, t_npes);
    T_RMA(MOVE)
    T_AMO_STD(CHANGE)
    T_AMO_BITS(BITS)
    const int before = inlined_calls, mapped = shmem_ptr(&cell, right) != NULL;
    const char *by = getenv("OSHMPI_TRANSPORT");
    const int at_least = by && !strcmp(by, "rma"); /* a heap of MPI's memory is not in the fast path */
    MOVE(long, long, LONG)
    CHECK_EQ(inlined_calls - before, mapped && strcmp(how, "calls") ? at_least : 2);
    return t_done();
}
