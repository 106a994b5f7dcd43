/* A block for which one PE has no memory: null on all of them, and what the others had taken for it is given back, so that a smaller
 * one fits. The library finds these functions instead of the C library's.
 * Argument `window`: under a window, where every PE has memory of its own, pages stay, since an adapter may have registered them.
 * rules: 95 96 */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { LARGE = 3 << 20 };
static int refuse, file = -1;

int memfd_create(const char *name, unsigned flags)
{
    (void)name, (void)flags;
    errno = ENOSYS;
    return -1;
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    if (refuse && len == LARGE && !(mode & FALLOC_FL_PUNCH_HOLE)) {
        errno = ENOSPC;
        return -1;
    }
    file = fd;
    return (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

/* Of the node's memory, while nobody takes any. */
static long blocks(void)
{
    struct stat s;
    shmem_barrier_all();
    CHECK_EQ(fstat(file, &s), 0);
    shmem_barrier_all();
    return (long)s.st_blocks;
}

int main(int argc, char **argv)
{
    char *small, *large;
    long before, after;
    int stays = argc > 1 && strcmp(argv[1], "window") == 0;
    t_init();
    refuse = t_me == t_npes - 1;
    before = blocks();
    large = shmem_malloc(LARGE);
    CHECK(large == NULL);
    after = blocks();
    if (stays && !refuse)
        CHECK(after >= before + LARGE / 512);
    else
        CHECK_EQ(after, before);
    small = shmem_malloc(LARGE / 3);
    CHECK(small != NULL);
    before = blocks();
    large = shmem_realloc(small, LARGE);
    CHECK(large == NULL);
    CHECK_EQ(blocks(), before);
    refuse = 0;
    large = shmem_realloc(small, LARGE);
    CHECK(large != NULL);
    return t_done();
}
