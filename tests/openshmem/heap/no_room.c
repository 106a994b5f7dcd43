/* A block for which one PE has no memory: null on all of them, and what the others had taken for it is given back,
 * so that a smaller one fits; so is the memory of a block that is freed, moved or made smaller. The library finds
 * these functions instead of the C library's. Argument `window`: under a window, where every PE has memory of its
 * own, pages stay, since an adapter may have registered them.
 * rules: 95 96 */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { LARGE = 3 << 20 };
static int interrupt, late, refuse, header, file = -1;

int memfd_create(const char *name, unsigned flags)
{
    if (late)
        return (int)syscall(SYS_memfd_create, name, flags);
    errno = ENOSYS;
    return -1;
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    static int interrupted;
    if (interrupt && (interrupted = !interrupted)) {
        errno = EINTR;
        return -1;
    }
    if (refuse && len == LARGE && !(mode & FALLOC_FL_PUNCH_HOLE)) {
        errno = ENOSPC;
        return -1;
    }
    header |= offset == 0;
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

/* `interrupted`: each call is, once. `late`: PE 1 comes when the others have given up the short way to the node's
 * memory, and its own would have no limit. */
int main(int argc, char **argv)
{
    char *small, *large, *below;
    long empty, before;
    const char *how = argc > 1 ? argv[1] : "";
    interrupt = strcmp(how, "interrupted") == 0;
    late = strcmp(how, "late") == 0 && t_launched_as() == 1;
    if (late)
        sleep(1);
    t_init();
    /* What all PEs write to is there before any of them does. */
    CHECK(header);
    refuse = t_me == t_npes - 1;
    empty = blocks();
    large = shmem_malloc(LARGE);
    CHECK(large == NULL);
    before = blocks();
    if (strcmp(how, "window") == 0) {
        CHECK(refuse || before >= empty + LARGE / 512);
        return t_done();
    }
    CHECK_EQ(before, empty);
    small = shmem_malloc(LARGE / 3);
    CHECK(small != NULL);
    before = blocks();
    large = shmem_realloc(small, LARGE);
    CHECK(large == NULL);
    CHECK_EQ(blocks(), before);
    refuse = 0;
    large = shmem_realloc(small, LARGE);
    CHECK(large != NULL);
    small = shmem_realloc(large, LARGE / 3);
    CHECK(small == large);
    CHECK_EQ(blocks(), before);
    below = shmem_malloc(100);
    large = shmem_realloc(small, LARGE);
    CHECK(large != NULL && large != small);
    shmem_free(large);
    shmem_free(below);
    CHECK_EQ(blocks(), empty);
    return t_done();
}
