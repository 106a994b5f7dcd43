/* constants_c.c: for constants.f90, what the names mean in C. */
#include <shmem.h>
#include <string.h>

long value_in_c(const char *name);
int vendor_in_c(const char *text, int length);

static const struct {
    const char *name;
    long value;
} all[] = {
#define ONE(x) { #x, x }
    ONE(SHMEM_MAJOR_VERSION), ONE(SHMEM_MINOR_VERSION), ONE(SHMEM_MAX_NAME_LEN),
    ONE(SHMEM_THREAD_SINGLE), ONE(SHMEM_THREAD_FUNNELED), ONE(SHMEM_THREAD_SERIALIZED), ONE(SHMEM_THREAD_MULTIPLE),
    ONE(SHMEM_CMP_EQ), ONE(SHMEM_CMP_NE), ONE(SHMEM_CMP_GT), ONE(SHMEM_CMP_LE), ONE(SHMEM_CMP_LT), ONE(SHMEM_CMP_GE),
    ONE(SHMEM_SYNC_VALUE), ONE(SHMEM_SYNC_SIZE), ONE(SHMEM_BARRIER_SYNC_SIZE), ONE(SHMEM_BCAST_SYNC_SIZE),
    ONE(SHMEM_COLLECT_SYNC_SIZE), ONE(SHMEM_REDUCE_SYNC_SIZE), ONE(SHMEM_ALLTOALL_SYNC_SIZE),
    ONE(SHMEM_ALLTOALLS_SYNC_SIZE), ONE(SHMEM_REDUCE_MIN_WRKDATA_SIZE),
};

/* A value that no constant has when there is no such name. */
long value_in_c(const char *name)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].value;
    return -123456789;
}

int vendor_in_c(const char *text, int length)
{
    return (size_t)length == strlen(SHMEM_VENDOR_STRING) && memcmp(text, SHMEM_VENDOR_STRING, (size_t)length) == 0;
}
