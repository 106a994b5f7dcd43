/* What the program did before init is kept: statics written, files open, stdio buffers, signal handlers, memory mapped
 * behind the program's end (a stray mapping must not count as part of the segment), environment changed. With an
 * argument: no thread of a library of the network takes a signal that the program has blocked.
 * rules: 29 31 */
#include "check.h"

#include <sys/mman.h>

extern char _end[];
static char filled[300000];
static long table[5000] = {1, 2, 3};
static FILE *file;
static char buffer[1000];
static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
    signals += sig == SIGUSR1 || sig == SIGHUP;
}

int main(int argc, char **argv)
{
    char line[100];
    (void)argv;
    /* Only some PEs map something right behind the segment: the segment must not differ for it. */
    if (t_launched_as() % 2 == 1) {
        char *behind = (char *)(((uintptr_t)_end + 0xfff) & ~(uintptr_t)0xfff);
        mmap(behind, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    t_fill(filled, sizeof filled, 1);
    for (int i = 3; i < 5000; i++)
        table[i] = i * 7;
    file = tmpfile();
    setvbuf(file, buffer, _IOFBF, sizeof buffer);
    fputs("buffered in a static array\n", file);
    signals = 3;
    signal(SIGUSR1, on_signal);
    signal(SIGHUP, on_signal); /* UCX catches it, too */
    setenv("T_BEFORE_INIT", "kept", 1);
    t_init();
    const char *kept = getenv("T_BEFORE_INIT");
    CHECK(kept && !strcmp(kept, "kept"));
    raise(SIGUSR1);
    raise(SIGHUP);
    CHECK_EQ(signals, 5);
    if (argc > 1) {
        sigset_t blocked, before;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGUSR1);
        sigprocmask(SIG_BLOCK, &blocked, &before);
        kill(getpid(), SIGUSR1);
        usleep(10000);
        CHECK_EQ(signals, 5);
        sigprocmask(SIG_SETMASK, &before, NULL);
        CHECK_EQ(signals, 6);
    }
    CHECK_PATTERN(filled, sizeof filled, 1);
    for (int i = 3; i < 5000; i++)
        CHECK_EQ(table[i], i * 7);
    rewind(file);
    CHECK(fgets(line, sizeof line, file) && !strcmp(line, "buffered in a static array\n"));
    fclose(file);
    CHECK_EQ(shmem_long_g(&table[4999], t_right()), 4999 * 7);
    shmem_barrier_all();
    shmem_long_p(&table[4999], t_me, t_right());
    shmem_char_p(&filled[299999], 'z', t_right());
    shmem_barrier_all();
    CHECK_EQ(table[4999], t_left());
    CHECK_EQ(filled[299999], 'z');
    /* system calls may write into statics */
    {
        int ends[2];
        CHECK(pipe(ends) == 0);
        CHECK_EQ(write(ends[1], filled, 4000), 4000);
        CHECK_EQ(read(ends[0], filled + 100000, 4000), 4000);
        CHECK_PATTERN(filled + 100000, 4000, 1);
        close(ends[0]), close(ends[1]);
    }
    shmem_barrier_all();
    return t_done();
}
