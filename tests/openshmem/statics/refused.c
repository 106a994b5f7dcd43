/* Memory that cannot be had where statics are to go: they stay where they are, reached another way, and a forked
 * child has them all the same. The library finds these two functions instead of the C library's.
 * rules: 29 269 */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { ROOM = 20 << 20 };
static char big[100 << 20];
static long counter = 41;
static off_t taken;
static int file = -1;

int memfd_create(const char *name, unsigned flags)
{
    (void)name, (void)flags;
    errno = ENOSYS;
    return -1;
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    if (!(mode & FALLOC_FL_PUNCH_HOLE) && (taken += len) > ROOM) {
        errno = ENOSPC;
        return -1;
    }
    file = fd;
    return (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

int main(void)
{
    int status = -1;
    pid_t pid;
    struct stat s;
    t_init();
    /* What it had taken when it failed is given back. */
    CHECK_EQ(fstat(file, &s), 0);
    CHECK(s.st_blocks < ROOM / 2 / 512);
    counter = 42;
    big[12345] = 'b';
    fflush(stdout);
    pid = fork();
    if (pid == 0)
        _exit(counter == 42 && big[12345] == 'b' && big[12346] == 0 ? 0 : 1);
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    shmem_barrier_all();
    shmem_long_p(&counter, 100 + t_me, (t_me + 1) % t_npes);
    shmem_barrier_all();
    CHECK_EQ(counter, 100 + (t_me + t_npes - 1) % t_npes);
    return t_done();
}
