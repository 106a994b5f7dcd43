/* shmem_global_exit where no thread can be started any more: what lies in the buffer of standard output arrives all
 * the same, that of the PE that ends the job and that of one that waits. The library finds this function instead of
 * the C library's. shmem_global_exit
 * rules: 69 */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

static int refuse;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
    if (refuse)
        return EAGAIN;
    return T_NEXT(pthread_create)(thread, attr, body, arg);
}

int main(void)
{
    t_init();
    shmem_barrier_all();
    refuse = 1;
    if (t_me == 0)
        puts("ok"); /* stays in the buffer of a pipe */
    if (t_me == t_npes - 1) {
        usleep(100000);
        shmem_global_exit(3);
    }
    shmem_barrier_all();
    return 0;
}
