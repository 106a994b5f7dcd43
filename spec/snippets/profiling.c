/* snippet: c99 c11 c17 */
/* A tool that replaces routines. One that shares its name with a macro is defined in brackets. */
#include <pshmem.h>

static unsigned long calls;

void shmem_long_put(long *dest, const long *source, size_t nelems, int pe)
{
    calls++;
    pshmem_long_put(dest, source, nelems, pe);
}

long double shmem_ctx_longdouble_g(shmem_ctx_t ctx, const long double *source, int pe)
{
    calls++;
    return pshmem_ctx_longdouble_g(ctx, source, pe);
}

void(shmem_sync)(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    calls++;
    pshmem_sync(PE_start, logPE_stride, PE_size, pSync);
}

void *shmalloc(size_t size)
{
    calls++;
    return pshmalloc(size);
}

void shmem_pcontrol(int level, ...)
{
    pshmem_pcontrol(level, calls);
}
