/* Pages of static data keep the rights that the program gave them before init. A thread whose stack lies in static data
 * can call shmem_init; with the argument "stack" one does.
 * rules: 29 31 */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <sys/mman.h>

enum { ROOM = 4 * 65536, STACK = 1 << 20 };
static char pages[ROOM + 65536];
static char stack[STACK] __attribute__((aligned(65536)));
static long word;
static int ends[2];

/* The kernel may read a byte there, and may write one. */
static int may_read(const char *at)
{
    char byte;
    return write(ends[1], at, 1) == 1 && read(ends[0], &byte, 1) == 1;
}

static int may_write(char *at)
{
    char byte;
    if (write(ends[1], "x", 1) != 1)
        return -1;
    return read(ends[0], at, 1) == 1 || read(ends[0], &byte, 1) != 1;
}

static void *all(void *moved)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = (char *)(((uintptr_t)pages + page - 1) & ~(uintptr_t)(page - 1));
    CHECK_EQ(pipe(ends), 0);
    memset(at, 'r', page);
    memset(at + 2 * page, 'n', page);
    CHECK_EQ(mprotect(at, page, PROT_READ), 0);
    CHECK_EQ(mprotect(at + 2 * page, page, PROT_NONE), 0);
    t_init();
    if (moved && shmem_team_translate_pe(SHMEM_TEAM_WORLD, t_right(), SHMEM_TEAM_SHARED) >= 0)
        CHECK(shmem_ptr(&word, t_right()) != NULL);
    CHECK_EQ(may_read(at), 1);
    CHECK_EQ(may_write(at), 0);
    CHECK_EQ(may_write(at + page), 1);
    CHECK_EQ(may_read(at + 2 * page), 0);
    CHECK_EQ(may_write(at + 3 * page), 1);
    CHECK_EQ(mprotect(at + 2 * page, page, PROT_READ), 0);
    CHECK_FILL(at, 'r', page);
    CHECK_FILL(at + 2 * page, 'n', page);
    shmem_long_p(&word, t_me + 1, t_right());
    shmem_barrier_all();
    CHECK_EQ(word, t_left() + 1);
    shmem_barrier_all();
    CHECK_EQ(t_done(), 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_attr_t attributes;
    pthread_t thread;
    (void)argv;
    if (argc == 1) {
        all(&word);
        return t_failures != 0;
    }
    pthread_attr_init(&attributes);
    CHECK_EQ(pthread_attr_setstack(&attributes, stack, STACK), 0);
    CHECK_EQ(pthread_create(&thread, &attributes, all, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return t_failures != 0;
}
