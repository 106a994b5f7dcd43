/* Threads that sleep on words in static data while shmem_init moves them wake up afterwards: the kernel knows the words
 * of calls that are not private by their page. A thread in poll() is not disturbed.
 * rules: 29 31 */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

static sem_t posted;
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static int told, word;
static int ends[2], readable;

static void *in_sem_wait(void *unused)
{
    while (sem_wait(&posted) == -1)
        CHECK_EQ(errno, EINTR);
    return unused;
}

static void *in_cond_wait(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!told)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

/* What libstdc++ does while another thread initialises a static variable; this thread takes no signal. */
static void *in_futex(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    return unused;
}

static void *in_poll(void *unused)
{
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    readable = poll(&end, 1, -1);
    return unused;
}

/* All other threads sleep in a system call. */
static int all_sleep(void)
{
    char path[300], line[32];
    int sleep = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; threads && (entry = readdir(threads)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/task/%s/syscall", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            continue;
        sleep += fgets(line, sizeof line, file) != NULL && line[0] >= '0' && line[0] <= '9';
        fclose(file);
    }
    if (threads)
        closedir(threads);
    return sleep >= 5; /* this one reads the file */
}

int main(void)
{
    void *(*const functions[])(void *) = {in_sem_wait, in_cond_wait, in_futex, in_poll};
    pthread_t threads[4];
    pthread_mutexattr_t shared_mutex;
    pthread_condattr_t shared;
    int provided;
    t_alarm();
    sem_init(&posted, 1, 0);
    pthread_mutexattr_init(&shared_mutex);
    pthread_mutexattr_setpshared(&shared_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&mutex, &shared_mutex);
    pthread_condattr_init(&shared);
    pthread_condattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&condition, &shared);
    CHECK_EQ(pipe(ends), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, functions[i], NULL), 0);
    for (int i = 0; i < 2000 && !all_sleep(); i++)
        usleep(1000);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    t_begin();
    if (shmem_team_translate_pe(SHMEM_TEAM_WORLD, t_right(), SHMEM_TEAM_SHARED) >= 0)
        CHECK(shmem_ptr(&word, t_right()) != NULL); /* they were moved */
    sem_post(&posted);
    pthread_mutex_lock(&mutex);
    told = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    CHECK_EQ(write(ends[1], "x", 1), 1);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_EQ(readable, 1);
    shmem_barrier_all();
    return t_done();
}
