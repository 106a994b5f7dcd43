/* Another thread makes a process while shmem_init moves the static variables: the process has all of them as they were,
 * and the thread gets its signal mask back. A page that cannot be read tells when they are about to be moved: the
 * library makes it readable, and finds a function of this program instead of the C library's. Then the thread has some
 * time to make the process, which it must not before they are moved. The argument is how it is made:
 *   fork      by fork(), meanwhile
 *   begun     before shmem_init, and the thread goes on after it
 *   refused   meanwhile, and there is no memory to which the variables could be moved; the thread goes on after it
 * rules: 29 31 269 */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { STACK = 1 << 20, SOON = 300, LATE = 10000 }; /* bytes; milliseconds */
static char pages[3 * 65536], filled[1 << 18];
static char *guard;
static volatile long value = 41; /* volatile: the compiler sees no other value */
static const char *how = "fork";

/* Not static: threads and processes leave static variables alone while these are moved. */
static struct {
    int is_moving, was_moving, is_made, is_up, pid, status, is_masked;
} *told;

static int get(const int *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static void set(int *word, int to) { __atomic_store_n(word, to, __ATOMIC_SEQ_CST); }

static void await(const int *word, int ms)
{
    for (int i = 0; i < ms && !get(word); i++)
        usleep(1000);
}

int mprotect(void *at, size_t len, int rights)
{
    const int is_guard = told && at == guard;
    if (is_guard && rights == PROT_READ && !get(&told->was_moving)) {
        set(&told->is_moving, 1);
        set(&told->was_moving, 1);
        if (strcmp(how, "begun") != 0)
            await(&told->is_made, SOON);
    } else if (is_guard)
        set(&told->is_moving, 0);
    return (int)syscall(SYS_mprotect, at, len, rights);
}

/* Where there is no such file, memory has a limit, and what the variables are moved to is taken before. */
int memfd_create(const char *name, unsigned flags)
{
    if (strcmp(how, "refused") != 0)
        return (int)syscall(SYS_memfd_create, name, flags);
    errno = ENOSYS;
    return -1;
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    if (!strcmp(how, "refused") && told && get(&told->is_moving) && !(mode & FALLOC_FL_PUNCH_HOLE)) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

static int is_wrong(void)
{
    return value != 41 || filled[0] != 'a' || filled[sizeof filled - 1] != 'a';
}

/* Another process, for which the thread that has made it waits in the kernel. */
static int lasts(void *words)
{
    __typeof__(told) shared = words;
    alarm(20);
    set(&shared->is_made, 1);
    await(&shared->is_up, LATE);
    return is_wrong();
}

static void *make(void *stack)
{
    __typeof__(told) shared = told;
    sigset_t masked, after;
    int pid, status = -1;
    sigemptyset(&masked);
    sigaddset(&masked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &masked, NULL);
    if (strcmp(how, "begun") != 0)
        await(&shared->was_moving, LATE);
    if (!strcmp(how, "fork")) {
        pid = fork();
        if (pid == 0) {
            alarm(20);
            _exit(is_wrong());
        }
    } else
        pid = clone(lasts, (char *)stack + STACK, CLONE_VFORK | SIGCHLD, shared);
    shared->pid = pid;
    if (pid > 0 && waitpid(pid, &status, 0) == pid)
        shared->status = status;
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    shared->is_masked = sigismember(&after, SIGUSR1) == 1 && sigismember(&after, SIGUSR2) == 0;
    set(&shared->is_made, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    pthread_t thread;
    void *shared = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *stack = malloc(STACK);
    if (argc > 1)
        how = argv[1];
    if (shared == MAP_FAILED || !stack)
        return 1;
    guard = (char *)(((uintptr_t)pages + page - 1) & ~(page - 1));
    memset(filled, 'a', sizeof filled);
    CHECK_EQ(mprotect(guard, page, PROT_NONE), 0);
    told = shared;
    told->status = -1;
    if (pthread_create(&thread, NULL, make, stack) != 0)
        return 1;
    if (!strcmp(how, "begun"))
        await(&told->is_made, LATE);
    t_init();
    set(&told->is_up, 1);
    pthread_join(thread, NULL);
    CHECK(told->was_moving);
    CHECK(told->pid > 0);
    CHECK_EQ(told->status, 0);
    CHECK(told->is_masked);
    CHECK(!is_wrong());
    shmem_barrier_all();
    free(stack);
    return t_done();
}
