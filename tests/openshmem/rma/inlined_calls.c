/* A profiling tool's shmem_long_p: the calls of it that have left rma/inlined. */
void pshmem_long_p(long *dest, long value, int pe);
void shmem_long_p(long *dest, long value, int pe);

int inlined_calls;

void shmem_long_p(long *dest, long value, int pe)
{
    inlined_calls++;
    pshmem_long_p(dest, value, pe);
}
