/* profiled_tool.c: for profiled.f90, a tool that counts calls. */
#include <stdint.h>

void pshmem_integer_put_(void *dest, const void *source, const void *nelems, const void *pe);
void shmem_integer_put_(void *dest, const void *source, const void *nelems, const void *pe);
int32_t puts_seen_(void);

static int32_t seen;

void shmem_integer_put_(void *dest, const void *source, const void *nelems, const void *pe)
{
    seen++;
    pshmem_integer_put_(dest, source, nelems, pe);
}

int32_t puts_seen_(void)
{
    return seen;
}
