/* SIZE counts bits and nelems counts elements of that size; mem counts bytes. The bytes around stay as they were.
 * shmem_{put,get,iput,iget,ibput,ibget}{8,16,32,64,128}, shmem_{put,get}mem, their ctx and nbi forms
 * rules: 35 142 143 144 145 146 148 52 54 */
#include "check.h"

/* The largest layout used: element 16 bytes, 5 elements, stride 3, plus guards. */
enum { N = 5, ROOM = 16 * (N * 4 + 8), GUARD = 0x5a };

static _Alignas(16) unsigned char room_static[ROOM];
static _Alignas(16) unsigned char want[ROOM];

/* `bytes` of what PE `pe` sends, from offset `at` on. */
static void source_of(unsigned char *to, int pe) { t_fill(to, ROOM, (unsigned)pe); }

static void compare(const unsigned char *got)
{
    shmem_barrier_all();
    CHECK_BYTES(got, want, ROOM);
    shmem_barrier_all();
}

static void reset(unsigned char *room)
{
    memset(room, GUARD, ROOM);
    memset(want, GUARD, ROOM);
    shmem_barrier_all();
}

/* Copies element i of `from`, counted in elements of `size` bytes, to element j of `want`. */
static void expect(const unsigned char *from, size_t size, size_t j, size_t i)
{
    memcpy(want + 16 + j * size, from + 16 + i * size, size);
}

#define CTX SHMEM_CTX_DEFAULT
#define FORMS(BITS, PREFIX, ...) (ctx ? shmem_ctx_##PREFIX##BITS(CTX, __VA_ARGS__) : shmem_##PREFIX##BITS(__VA_ARGS__))
#define FORMS_NBI(BITS, PREFIX, ...) \
    (ctx ? shmem_ctx_##PREFIX##BITS##_nbi(CTX, __VA_ARGS__) : shmem_##PREFIX##BITS##_nbi(__VA_ARGS__))

/* A put by me lands on my right neighbour, so I find what my left one sent; a get by me finds my right one's. */
#define DENSE(BITS, SIZE)                                                                                        \
    static void dense_##BITS(unsigned char *room, unsigned char *mine, unsigned char *other, int ctx)            \
    {                                                                                                            \
        const size_t size = SIZE;                                                                                \
        t_what = "put" #BITS;                                                                                    \
        source_of(mine, t_me), source_of(other, t_left());                                                       \
        reset(room);                                                                                             \
        FORMS(BITS, put, room + 16, mine + 16, N, t_right());                                                    \
        for (size_t i = 0; i < N; i++)                                                                           \
            expect(other, size, i, i);                                                                           \
        compare(room);                                                                                           \
        reset(room);                                                                                             \
        FORMS_NBI(BITS, put, room + 16, mine + 16, N, t_right());                                                \
        for (size_t i = 0; i < N; i++)                                                                           \
            expect(other, size, i, i);                                                                           \
        compare(room);                                                                                           \
        t_what = "get" #BITS;                                                                                    \
        source_of(other, t_right());                                                                             \
        for (int nbi = 0; nbi < 2; nbi++) {                                                                      \
            unsigned char back[ROOM] __attribute__((aligned(16)));                                               \
            source_of(room, t_me);                                                                               \
            memset(back, GUARD, ROOM), memset(want, GUARD, ROOM);                                                \
            shmem_barrier_all();                                                                                 \
            if (nbi) {                                                                                           \
                FORMS_NBI(BITS, get, back + 16, room + 16, N, t_right());                                        \
                shmem_quiet();                                                                                   \
            } else                                                                                               \
                FORMS(BITS, get, back + 16, room + 16, N, t_right());                                            \
            for (size_t i = 0; i < N; i++)                                                                       \
                expect(other, size, i, i);                                                                       \
            compare(back);                                                                                       \
        }                                                                                                        \
    }

#define STRIDED(BITS, SIZE)                                                                                      \
    static void strided_##BITS(unsigned char *room, unsigned char *mine, unsigned char *other, int ctx)          \
    {                                                                                                            \
        const size_t size = SIZE;                                                                                \
        unsigned char back[ROOM] __attribute__((aligned(16)));                                                   \
        t_what = "iput" #BITS;                                                                                   \
        source_of(mine, t_me), source_of(other, t_left());                                                       \
        reset(room);                                                                                             \
        FORMS(BITS, iput, room + 16, mine + 16, 3, 2, N, t_right());                                             \
        for (size_t i = 0; i < N; i++)                                                                           \
            expect(other, size, 3 * i, 2 * i);                                                                   \
        compare(room);                                                                                           \
        t_what = "ibput" #BITS;                                                                                  \
        reset(room);                                                                                             \
        FORMS(BITS, ibput, room + 16, mine + 16, 4, 3, 2, 4, t_right());                                         \
        for (size_t b = 0; b < 4; b++)                                                                           \
            for (size_t i = 0; i < 2; i++)                                                                       \
                expect(other, size, 4 * b + i, 3 * b + i);                                                       \
        compare(room);                                                                                           \
        source_of(room, t_me), source_of(other, t_right());                                                      \
        t_what = "iget" #BITS;                                                                                   \
        memset(back, GUARD, ROOM), memset(want, GUARD, ROOM);                                                    \
        shmem_barrier_all();                                                                                     \
        FORMS(BITS, iget, back + 16, room + 16, 2, 3, N, t_right());                                             \
        for (size_t i = 0; i < N; i++)                                                                           \
            expect(other, size, 2 * i, 3 * i);                                                                   \
        compare(back);                                                                                           \
        t_what = "ibget" #BITS;                                                                                  \
        memset(back, GUARD, ROOM), memset(want, GUARD, ROOM);                                                    \
        FORMS(BITS, ibget, back + 16, room + 16, 3, 4, 2, 4, t_right());                                         \
        for (size_t b = 0; b < 4; b++)                                                                           \
            for (size_t i = 0; i < 2; i++)                                                                       \
                expect(other, size, 3 * b + i, 4 * b + i);                                                       \
        compare(back);                                                                                           \
    }

#define BOTH(BITS, SIZE) DENSE(BITS, SIZE) STRIDED(BITS, SIZE)
BOTH(8, 1)
BOTH(16, 2)
BOTH(32, 4)
BOTH(64, 8)
BOTH(128, 16)
DENSE(mem, 1)

int main(void)
{
    unsigned char mine[ROOM] __attribute__((aligned(16))), other[ROOM] __attribute__((aligned(16)));
    unsigned char *heap;
    t_init();
    heap = t_malloc(ROOM);
    for (int ctx = 0; ctx < 2; ctx++)
        for (int where = 0; where < 2; where++) {
            unsigned char *room = where ? room_static : heap;
#define RUN(BITS) dense_##BITS(room, mine, other, ctx), strided_##BITS(room, mine, other, ctx)
            RUN(8), RUN(16), RUN(32), RUN(64), RUN(128);
            dense_mem(room, mine, other, ctx);
        }
    shmem_free(heap);
    return t_done();
}
