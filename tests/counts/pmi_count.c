/* Counts what a process asks of a launcher that speaks PMI-1: puts, gets, fences. To be preloaded:
 *
 *     cc -shared -fPIC -O2 -o libpmi_count.so pmi_count.c -ldl
 *     mpiexec -n 4 env LD_PRELOAD=$PWD/libpmi_count.so OSHMPI_TRANSPORT=ucx ./start
 *
 * The functions here stand before those of the C library by which lines go to the launcher, whoever sends them. A
 * program asks for the numbers by pmi_counts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static const char *const calls[] = {"cmd=put ", "cmd=get ", "cmd=barrier_in"};
enum { CALLS = sizeof calls / sizeof calls[0] };
static atomic_ullong counts[CALLS];

/* Of this process so far: puts, gets, fences. */
void pmi_counts(unsigned long long now[3])
{
    for (int k = 0; k < CALLS; k++)
        now[k] = atomic_load(&counts[k]);
}

/* A request is one line, and is sent as a whole. */
static void look(const void *bytes, size_t length)
{
    for (int k = 0; k < CALLS; k++)
        if (length >= strlen(calls[k]) && memcmp(bytes, calls[k], strlen(calls[k])) == 0)
            atomic_fetch_add(&counts[k], 1);
}

/* The C library's own function of this name. */
#define REAL(name)                                        \
    static __typeof__(&name) real;                        \
    if (!real)                                            \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
    REAL(send);
    look(bytes, length);
    return real(fd, bytes, length, flags);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    REAL(write);
    look(bytes, length);
    return real(fd, bytes, length);
}
