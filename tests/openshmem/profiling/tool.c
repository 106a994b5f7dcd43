/* The tool of profiling/wrapped.c: its own shmem_ names in front of the library's pshmem_ ones. */
#include <pshmem.h>

long wrapped_puts, wrapped_inits, wrapped_mallocs, wrapped_adds, wrapped_barriers, wrapped_quiets;

void shmem_init(void);
void shmem_init(void)
{
    wrapped_inits++;
    pshmem_init();
}

void shmem_int_put(int *dest, const int *source, size_t nelems, int pe);
void shmem_int_put(int *dest, const int *source, size_t nelems, int pe)
{
    wrapped_puts++;
    pshmem_int_put(dest, source, nelems, pe);
}

void *shmem_malloc(size_t size);
void *shmem_malloc(size_t size)
{
    wrapped_mallocs++;
    return pshmem_malloc(size);
}

int shmem_int_atomic_fetch_add(int *dest, int value, int pe);
int shmem_int_atomic_fetch_add(int *dest, int value, int pe)
{
    wrapped_adds++;
    return pshmem_int_atomic_fetch_add(dest, value, pe);
}

void shmem_barrier_all(void);
void shmem_barrier_all(void)
{
    wrapped_barriers++;
    pshmem_barrier_all();
}

void shmem_quiet(void);
void shmem_quiet(void)
{
    wrapped_quiets++;
    pshmem_quiet();
}
