/* A program that is started without its standard streams: nothing of the library's becomes one of them. What the
 * program then wrote to stderr would lie in the node's memory. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>

int main(void)
{
    int kept[3], is_open[3], fd;
    for (fd = 0; fd < 3; fd++) {
        kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
        close(fd);
    }
    shmem_init();
    for (fd = 0; fd < 3; fd++)
        is_open[fd] = fcntl(fd, F_GETFD) != -1 || errno != EBADF;
    for (fd = 0; fd < 3; fd++)
        if (kept[fd] >= 0)
            dup2(kept[fd], fd);
    t_begin();
    for (fd = 0; fd < 3; fd++)
        CHECK_EQ(is_open[fd], 0);
    return t_done();
}
