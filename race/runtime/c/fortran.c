/* Fortran's own interface, shmem.fh, whose calls are not noted. A program that is started by it is told so. */

#include <pshmem.h>
#include <shmem.h>
#include <stdio.h>

void pshmem_init_(void);
void pstart_pes_(int *npes);
int pshmem_init_thread_(int *requested, int *provided);

static void say(void)
{
    if (pshmem_my_pe() == 0)
        fprintf(stderr, "oshmpi-race: calls of shmem.fh are not seen, so no race is found; the module shmem is seen\n");
}

void shmem_init_(void)
{
    pshmem_init_();
    say();
}

void start_pes_(int *npes)
{
    pstart_pes_(npes);
    say();
}

int shmem_init_thread_(int *requested, int *provided)
{
    int failed = pshmem_init_thread_(requested, provided);
    if (!failed)
        say();
    return failed;
}

/* -fsecond-underscore */
void shmem_init__(void) __attribute__((alias("shmem_init_")));
void start_pes__(int *) __attribute__((alias("start_pes_")));
int shmem_init_thread__(int *, int *) __attribute__((alias("shmem_init_thread_")));
