/* Strided puts and gets of all types: strides in elements, one for each side, dest's first; gaps stay untouched;
 * blocks equal to the stride are contiguous, blocks of one element are the plain strided form.
 * shmem_TYPENAME_{iput,iget,ibput,ibget}, shmem_ctx_TYPENAME_{...}
 * rules: 7 8 9 10 142 143 144 54 36 */
#include "check.h"
#include "types.h"

T_RMA(T_DEFINE_EDGE)

enum { N = 6, ROOM = 64 };
#define CTX SHMEM_CTX_DEFAULT

/* dst, sst, bsize, nblocks of the block forms. */
static const struct {
    ptrdiff_t dst, sst;
    size_t bsize, nblocks;
} blocks[] = {{3, 4, 2, 7}, {4, 3, 3, 7}, {2, 2, 2, 9}, {1, 3, 1, 8},
              {5, 5, 4, 1}, {9, 8, 7, 3}, {7, 3, 3, 0}, {7, 3, 0, 3}};
static const struct {
    ptrdiff_t dst, sst;
    size_t n;
} strides[] = {{1, 1, N}, {1, 3, N}, {3, 1, N}, {2, 5, N}, {7, 2, N}, {9, 10, N}, {4, 4, 1}, {4, 4, 0}};
enum { BLOCKS = sizeof blocks / sizeof *blocks, STRIDES = sizeof strides / sizeof *strides };

#define DEFINE(NAME, TYPE, KIND)                                                                                      \
    static TYPE static_##NAME[ROOM];                                                                                  \
    static void source_##NAME(TYPE *a, int pe)                                                                        \
    {                                                                                                                 \
        for (int i = 0; i < ROOM; i++)                                                                                \
            a[i] = t_edge_##NAME(i * 3 + i / T_EDGES + pe + 1);                                                       \
    }                                                                                                                 \
    static void clear_##NAME(TYPE *a)                                                                                 \
    {                                                                                                                 \
        for (int i = 0; i < ROOM; i++)                                                                                \
            a[i] = (TYPE)99;                                                                                          \
    }                                                                                                                 \
    static void same_##NAME(const TYPE *got, const TYPE *want, int k)                                                 \
    {                                                                                                                 \
        for (int i = 0; i < ROOM; i++)                                                                                \
            if (!t_same_##NAME(got[i], want[i]))                                                                      \
                t_fail(__FILE__, __LINE__, "case %d: element %d is wrong", k, i);                                     \
    }                                                                                                                 \
    static void puts_##NAME(TYPE *room, int to, int from)                                                             \
    {                                                                                                                 \
        TYPE mine[ROOM], theirs[ROOM], want[ROOM];                                                                    \
        source_##NAME(mine, t_me), source_##NAME(theirs, from);                                                       \
        for (int k = 0; k < STRIDES; k++) {                                                                           \
            const ptrdiff_t d = strides[k].dst, s = strides[k].sst;                                                   \
            clear_##NAME(room), clear_##NAME(want);                                                                   \
            shmem_barrier_all();                                                                                      \
            if (k & 1)                                                                                                \
                T_OF(NAME, iput)(room + 1, mine + 2, d, s, strides[k].n, to);                                         \
            else                                                                                                      \
                T_CTX(NAME, iput)(CTX, room + 1, mine + 2, d, s, strides[k].n, to);                                   \
            for (size_t i = 0; i < strides[k].n; i++)                                                                 \
                want[1 + i * d] = theirs[2 + i * s];                                                                  \
            shmem_barrier_all();                                                                                      \
            same_##NAME(room, want, k);                                                                               \
            shmem_barrier_all();                                                                                      \
        }                                                                                                             \
        for (int k = 0; k < BLOCKS; k++) {                                                                            \
            const ptrdiff_t d = blocks[k].dst, s = blocks[k].sst;                                                     \
            clear_##NAME(room), clear_##NAME(want);                                                                   \
            shmem_barrier_all();                                                                                      \
            if (k & 1)                                                                                                \
                T_OF(NAME, ibput)(room + 1, mine + 2, d, s, blocks[k].bsize, blocks[k].nblocks, to);                  \
            else                                                                                                      \
                T_CTX(NAME, ibput)(CTX, room + 1, mine + 2, d, s, blocks[k].bsize, blocks[k].nblocks, to);            \
            for (size_t b = 0; b < blocks[k].nblocks; b++)                                                            \
                for (size_t i = 0; i < blocks[k].bsize; i++)                                                          \
                    want[1 + b * d + i] = theirs[2 + b * s + i];                                                      \
            shmem_barrier_all();                                                                                      \
            same_##NAME(room, want, 100 + k);                                                                         \
            shmem_barrier_all();                                                                                      \
        }                                                                                                             \
    }                                                                                                                 \
    static void gets_##NAME(TYPE *room, int to)                                                                       \
    {                                                                                                                 \
        TYPE back[ROOM], theirs[ROOM], want[ROOM];                                                                    \
        source_##NAME(room, t_me), source_##NAME(theirs, to);                                                         \
        shmem_barrier_all();                                                                                          \
        for (int k = 0; k < STRIDES; k++) {                                                                           \
            const ptrdiff_t d = strides[k].dst, s = strides[k].sst;                                                   \
            clear_##NAME(back), clear_##NAME(want);                                                                   \
            if (k & 1)                                                                                                \
                T_OF(NAME, iget)(back + 1, (const TYPE *)room + 2, d, s, strides[k].n, to);                           \
            else                                                                                                      \
                T_CTX(NAME, iget)(CTX, back + 1, room + 2, d, s, strides[k].n, to);                                   \
            for (size_t i = 0; i < strides[k].n; i++)                                                                 \
                want[1 + i * d] = theirs[2 + i * s];                                                                  \
            same_##NAME(back, want, 200 + k);                                                                         \
        }                                                                                                             \
        for (int k = 0; k < BLOCKS; k++) {                                                                            \
            const ptrdiff_t d = blocks[k].dst, s = blocks[k].sst;                                                     \
            clear_##NAME(back), clear_##NAME(want);                                                                   \
            if (k & 1)                                                                                                \
                T_OF(NAME, ibget)(back + 1, (const TYPE *)room + 2, d, s, blocks[k].bsize, blocks[k].nblocks, to);    \
            else                                                                                                      \
                T_CTX(NAME, ibget)(CTX, back + 1, room + 2, d, s, blocks[k].bsize, blocks[k].nblocks, to);            \
            for (size_t b = 0; b < blocks[k].nblocks; b++)                                                            \
                for (size_t i = 0; i < blocks[k].bsize; i++)                                                          \
                    want[1 + b * d + i] = theirs[2 + b * s + i];                                                      \
            same_##NAME(back, want, 300 + k);                                                                         \
        }                                                                                                             \
        shmem_barrier_all();                                                                                          \
    }                                                                                                                 \
    static void test_##NAME(void)                                                                                     \
    {                                                                                                                 \
        TYPE *heap = t_malloc(ROOM * sizeof(TYPE));                                                                   \
        t_what = #NAME;                                                                                               \
        puts_##NAME(heap, t_right(), t_left());                                                                       \
        puts_##NAME(static_##NAME, t_right(), t_left());                                                              \
        puts_##NAME(heap, t_me, t_me);                                                                                \
        gets_##NAME(heap, t_right());                                                                                 \
        gets_##NAME(static_##NAME, t_right());                                                                        \
        gets_##NAME(static_##NAME, t_me);                                                                             \
        shmem_free(heap);                                                                                             \
    }
T_RMA(DEFINE)

#define CALL(NAME, TYPE, KIND) test_##NAME();

int main(void)
{
    t_init();
    T_RMA(CALL)
    return t_done();
}
