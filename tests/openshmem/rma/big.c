/* Counts and byte lengths beyond 2^31: 2^31 + 8 chars in one put, 2^28 + 1 doubles in one get, strides and offsets
 * beyond 2 and 4 GiB. The private side is untouched zero pages, so only PE 1's heap and PE 0's copy need memory.
 * shmem_char_put, shmem_double_get, shmem_long_iput, shmem_long_iget, shmem_long_p, shmem_long_atomic_fetch_add
 * rules: 52 100 142 15 */
#include "check.h"

#include <sys/mman.h>

static const size_t LONG_PUT = ((size_t)1 << 31) + 8;
static const size_t spots[] = {0, 4095, 4096, ((size_t)1 << 30) + 1, ((size_t)1 << 31) - 1, (size_t)1 << 31,
                               ((size_t)1 << 31) + 7};
enum { SPOTS = sizeof spots / sizeof *spots };

int main(void)
{
    const size_t heap = (size_t)4608 << 20;
    char *room;
    t_init();
    room = t_malloc(heap - 65536);
    if (t_me == 0) {
        char *mine = mmap(NULL, LONG_PUT + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                          -1, 0);
        if (mine == MAP_FAILED)
            T_DIE("no address space");
        shmem_char_p(room + LONG_PUT, 'e', 1);
        for (int i = 0; i < SPOTS; i++)
            mine[spots[i]] = (char)('A' + i);
        shmem_char_put(room, mine, LONG_PUT, 1);
        shmem_quiet();
        CHECK_EQ(shmem_char_g(room + LONG_PUT, 1), 'e');
        CHECK_EACH(SPOTS, shmem_char_g(room + spots[i], 1), 'A' + i);
        munmap(mine, LONG_PUT + 4096);
    }
    shmem_barrier_all();
    if (t_me == 1) {
        size_t other = 0;
        CHECK_EACH(SPOTS, room[spots[i]], 'A' + i);
        for (size_t i = 0; i < LONG_PUT; i += 4099)
            other += room[i] != 0;
        CHECK_EQ(other, 1); /* spots[0] alone is on this grid */
    }
    shmem_barrier_all();
    if (t_me == 0) {
        /* 2^31 + 8 bytes again, as a product of count and size. */
        double *back = mmap(NULL, LONG_PUT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if ((void *)back == MAP_FAILED)
            T_DIE("no address space");
        shmem_double_get(back, (double *)room, ((size_t)1 << 28) + 1, 1);
        CHECK_EACH(SPOTS, ((char *)back)[spots[i]], 'A' + i);
        munmap(back, LONG_PUT);
    }
    shmem_barrier_all();
    {
        /* Strides whose bytes pass 2^31 and 2^32, and single words near the end of the heap. */
        long *words = (long *)room, values[5] = {11, 22, 33, 44, 55}, back[5] = {0};
        const ptrdiff_t far = ((ptrdiff_t)1 << 27) + 1;
        const size_t last = (heap - 65536) / sizeof(long) - 1;
        if (t_me == 0) {
            shmem_long_iput(words, values, far, 1, 5, 1);
            shmem_quiet();
            shmem_long_iget(back, words, 1, far, 5, 1);
            for (int i = 0; i < 5; i++) {
                CHECK_EQ(back[i], values[i]);
                CHECK_EQ(shmem_long_g(&words[i * far], 1), values[i]);
            }
            shmem_long_p(&words[last], 5, 1);
            shmem_quiet();
            CHECK_EQ(shmem_long_atomic_fetch_add(&words[last], 6, 1), 5);
        }
        shmem_barrier_all();
        if (t_me == 1)
            CHECK_EQ(words[last], 11);
    }
    shmem_barrier_all();
    shmem_free(room);
    return t_done();
}
