/* A gigabyte of zeroed statics that is hardly touched stays cheap: in memory and in time; its last bytes are
 * reachable, and untouched parts read as zero from afar.
 * rules: 29 32 52 */
#include "check.h"

#include <sys/stat.h>
#include <time.h>

static char huge[(size_t)1 << 30];
/* With -mcmodel=medium it lies behind the other one. */
static volatile char given[100000] = {1, 2, 3};

/* KiB in memory files that this process holds. */
static long in_files(void)
{
    long kib = 0;
    for (int fd = 3; fd < 64; fd++) {
        char path[40], name[200] = "";
        struct stat s;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, name, sizeof name - 1) > 0 && strstr(name, "memfd:oshmpi") && fstat(fd, &s) == 0)
            kib = s.st_blocks / 2 > kib ? s.st_blocks / 2 : kib;
    }
    return kib;
}

int main(void)
{
    huge[5] = 'b';
    t_init();
    /* of the processor, which others may use, too */
    CHECK(clock() < 5 * CLOCKS_PER_SEC);
    CHECK(t_resident() < 100L << 20);
    CHECK(in_files() < 200 * 1024);
    CHECK_EQ(given[0] + given[2] + given[99999], 4);
    CHECK_EQ(huge[5], 'b');
    shmem_char_p(&huge[sizeof huge - 1], 'x', t_right());
    CHECK_EQ(shmem_char_g(&huge[5], t_right()), 'b');
    CHECK_EQ(shmem_char_g(&huge[sizeof huge / 2], t_right()), 0);
    shmem_barrier_all();
    CHECK_EQ(huge[sizeof huge - 1], 'x');
    CHECK(t_resident() < 100L << 20);
    return t_done();
}
