/* Strided puts and gets of many and of long blocks: short in all and long, more than one operation of the library can
 * carry, sources that are overwritten at once, from and to the heap and statics; gaps stay untouched.
 * shmem_double_iput, shmem_double_iget, shmem_char_ibput, shmem_char_ibget, shmem_short_ibput, shmem_int_iput
 * rules: 142 143 144 */
#include "check.h"

enum { MANY = 20000, BLOCK = 3 << 20, BLOCKS = 7, GAP = 4099 };
static double few[4000];

static double value(long i, int pe)
{
    return i * 1.25 + pe;
}

static void doubles(double *room, long n, ptrdiff_t dst, ptrdiff_t sst)
{
    const int to = t_right(), from = t_left();
    double *mine = malloc(n * sst * sizeof *mine);
    long wrong = 0;
    for (long i = 0; i < n * dst; i++)
        room[i] = -1;
    for (long i = 0; i < n * sst; i++)
        mine[i] = i % sst ? -2 : value(i / sst, t_me);
    shmem_barrier_all();
    shmem_double_iput(room, mine, dst, sst, n, to);
    for (long i = 0; i < n * sst; i++)
        mine[i] = -3;
    shmem_barrier_all();
    for (long i = 0; i < n * dst; i++)
        wrong += room[i] != (i % dst ? -1 : value(i / dst, from));
    CHECK_EQ(wrong, 0);
    shmem_double_iget(mine, room, sst, dst, n, to);
    for (long i = 0; i < n * sst; i++)
        wrong += mine[i] != (i % sst ? -3 : value(i / sst, t_me));
    CHECK_EQ(wrong, 0);
    shmem_barrier_all();
    free(mine);
}

static void long_blocks(void)
{
    const ptrdiff_t dst = BLOCK + GAP, sst = BLOCK + 1;
    const int to = t_right(), from = t_left();
    char *room = t_malloc(dst * BLOCKS), *mine = malloc(sst * BLOCKS);
    long wrong = 0;
    memset(room, 'g', dst * BLOCKS);
    for (int b = 0; b < BLOCKS; b++)
        for (long i = 0; i < sst; i++)
            mine[b * sst + i] = (char)(i * 7 + b + t_me);
    shmem_barrier_all();
    shmem_char_ibput(room, mine, dst, sst, BLOCK, BLOCKS, to);
    memset(mine, 'm', sst * BLOCKS);
    shmem_barrier_all();
    for (int b = 0; b < BLOCKS; b++)
        for (long i = 0; i < dst; i++)
            wrong += room[b * dst + i] != (i < BLOCK ? (char)(i * 7 + b + from) : 'g');
    CHECK_EQ(wrong, 0);
    shmem_char_ibget(mine, room, sst, dst, BLOCK, BLOCKS, to);
    for (int b = 0; b < BLOCKS; b++)
        for (long i = 0; i < sst; i++)
            wrong += mine[b * sst + i] != (i < BLOCK ? (char)(i * 7 + b + t_me) : 'm');
    CHECK_EQ(wrong, 0);
    shmem_barrier_all();
    shmem_free(room);
    free(mine);
}

/* What follows a fence on the same words comes last. */
static void ordered(void)
{
    static int words[600];
    int ones[200], twos[200];
    long wrong = 0;
    for (int i = 0; i < 200; i++)
        ones[i] = 1, twos[i] = 2;
    for (int round = 0; round < 20; round++) {
        shmem_int_iput(words, ones, 3, 1, 200, t_right());
        shmem_fence();
        shmem_int_iput(words, twos, 3, 1, 200, t_right());
        shmem_fence();
        shmem_int_p(&words[1], round, t_right());
        shmem_barrier_all();
        for (int i = 0; i < 600; i++)
            wrong += words[i] != (i % 3 == 0 ? 2 : i == 1 ? round : 0);
        shmem_barrier_all();
    }
    CHECK_EQ(wrong, 0);
}

int main(void)
{
    t_init();
    double *room = t_malloc(MANY * 5 * sizeof *room);
    doubles(room, MANY, 5, 3);
    doubles(room, MANY, 2, 1);
    doubles(few, 700, 3, 2);
    doubles(few, 1900, 2, 4);
    shmem_free(room);
    long_blocks();
    ordered();
    return t_done();
}
