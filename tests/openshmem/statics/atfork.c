/* Fork handlers that the program has registered before the library was up: what they lock before a fork is locked in
 * the child's copy until they unlock it there, and the parent's lock is let go once.
 * rules: 29 269 */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long owner, value, twin;
static volatile int ends;

static void before(void)
{
    pthread_mutex_lock(&lock);
    owner++;
}

static void after(void)
{
    owner--;
    pthread_mutex_unlock(&lock);
}

/* Holds the lock nearly always. What it guards is whole when it is free. */
static void *holder(void *arg)
{
    (void)arg;
    while (!ends) {
        pthread_mutex_lock(&lock);
        if (owner != 0)
            ends = 2;
        value++;
        usleep(20);
        twin++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int status = -1, provided;
    pthread_atfork(before, after, after);
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided), 0);
    t_begin();
    CHECK_EQ(pthread_create(&thread, NULL, holder, NULL), 0);
    for (int r = 0; r < 100; r++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            pthread_mutex_lock(&lock);
            _exit(owner != 0 || value != twin);
        }
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
        if (status != 0)
            break;
    }
    CHECK_EQ(ends, 0);
    ends = 1;
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return t_done();
}
