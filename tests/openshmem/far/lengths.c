/* Puts and gets around the lengths at which another way of moving them begins, at every alignment of both sides,
 * between heap and statics: blocking with the source overwritten at once, nonblocking with others under way to the
 * same PE, and nothing beside them is touched. shmem_putmem, shmem_getmem, shmem_putmem_nbi, shmem_getmem_nbi,
 * shmem_quiet
 * rules: 29 36 52 138 141 252 */
#include "check.h"

enum { MOST = 70000, EDGE = 16, KINDS = 3 };
static const size_t around[] = {8, 512, 4096, 8192, 16384, 32768, 65536};
static unsigned char in_static[KINDS][MOST];
static unsigned char source[MOST], back[KINDS][MOST];

/* `n` bytes at `off` of `got` are the pattern, and its neighbours are as they were. */
static void check_alone(const unsigned char *got, size_t off, size_t n, unsigned pattern)
{
    CHECK_FILL(got, 0, off);
    CHECK_PATTERN(got + off, n, pattern);
    CHECK_FILL(got + off + n, 0, EDGE);
}

static void move(unsigned char (*in)[MOST], size_t n, size_t from, size_t to)
{
    int pe = t_right();
    unsigned pattern = (unsigned)(n + from + to);
    memset(in, 0, KINDS * sizeof *in);
    memset(back, 0, sizeof back);
    shmem_barrier_all();
    t_fill(source + from, n, pattern);
    shmem_putmem(in[0] + to, source + from, n, pe);
    memset(source, 255, sizeof source); /* a blocking put has taken it */
    shmem_quiet();
    /* The first of these finds nothing under way to that PE, the others do. */
    t_fill(source + from, n, pattern + 1);
    for (int k = 1; k < KINDS; k++)
        shmem_putmem_nbi(in[k] + to, source + from, n, pe);
    shmem_quiet();
    shmem_getmem(back[0] + from, in[0] + to, n, pe);
    check_alone(back[0], from, n, pattern);
    for (int k = 1; k < KINDS; k++)
        shmem_getmem_nbi(back[k] + from, in[k] + to, n, pe);
    shmem_quiet();
    for (int k = 1; k < KINDS; k++)
        check_alone(back[k], from, n, pattern + 1);
    shmem_barrier_all();
    check_alone(in[0], to, n, pattern);
    check_alone(in[KINDS - 1], to, n, pattern + 1);
}

int main(void)
{
    t_init();
    unsigned char(*in_heap)[MOST] = t_malloc(sizeof in_static);
    size_t turn = 0;
    for (size_t a = 0; a < sizeof around / sizeof *around; a++)
        for (int more = -1; more <= 8; more += more < 1 ? 1 : 7, turn++)
            move(turn % 2 ? in_heap : in_static, around[a] + (size_t)more, turn % 9, turn * 5 % 9);
    shmem_free(in_heap);
    return t_done();
}
