/* The mem calls need no alignment: every combination of odd addresses and lengths around the sizes at which copy
 * routines change their way. Guards on both sides stay.
 * shmem_putmem, shmem_getmem, shmem_putmem_nbi, shmem_getmem_nbi
 * rules: 35 138 139 148 */
#include "check.h"

enum { MOST = 70000, ROOM = MOST + 64, GUARD = 0x5a };
static const size_t lengths[] = {1,   2,   3,    5,    7,    8,    9,    15,   16,   17,   31,    33,    63,   64,
                                 65,  127, 255,  257,  511,  1023, 2047, 2049, 4095, 4096, 4097,  8191,  8193, 16383,
                                 16385, 32769, 65535, 65537, MOST};
static const size_t shifts[] = {0, 1, 3, 7, 8, 13};
enum { LENGTHS = sizeof lengths / sizeof *lengths, SHIFTS = sizeof shifts / sizeof *shifts };

static unsigned char static_room[ROOM];

static void around(const unsigned char *room, size_t at, size_t n)
{
    size_t before = at < 16 ? at : 16;
    CHECK_FILL(room + at - before, GUARD, before);
    CHECK_FILL(room + at + n, GUARD, 16);
}

static void test(unsigned char *room, unsigned char *local, size_t n, size_t d, size_t s)
{
    unsigned k = (unsigned)(t_me * 5 + n + d);
    /* put: into my right neighbour's room */
    memset(room, GUARD, n + 64);
    t_fill(local + s, n, k);
    shmem_barrier_all();
    if ((d ^ s) & 1)
        shmem_putmem(room + d, local + s, n, t_right());
    else
        shmem_putmem_nbi(room + d, local + s, n, t_right());
    shmem_barrier_all();
    CHECK_PATTERN(room + d, n, (unsigned)(t_left() * 5 + n + d));
    around(room, d, n);
    /* get: back from there what I have put */
    memset(local, GUARD, n + 64);
    if ((d ^ s) & 1)
        shmem_getmem(local + s, room + d, n, t_right());
    else {
        shmem_getmem_nbi(local + s, room + d, n, t_right());
        shmem_quiet();
    }
    CHECK_PATTERN(local + s, n, k);
    around(local, s, n);
    shmem_barrier_all();
}

int main(void)
{
    unsigned char *heap, *local = malloc(ROOM);
    t_init();
    heap = t_malloc(ROOM);
    for (int l = 0; l < LENGTHS; l++)
        for (int a = 0; a < SHIFTS; a++) {
            /* All shifts against all for short lengths; a diagonal for the long ones. */
            for (int b = 0; b < SHIFTS; b++)
                if (lengths[l] < 300 || b == (a + l) % SHIFTS)
                    test((l + a + b) & 1 ? heap : static_room, local, lengths[l], shifts[a], shifts[b]);
        }
    shmem_free(heap);
    free(local);
    return t_done();
}
