/* The use of the heap, as `oshrun --profile` records it: after a pause and a new length; the end while it is off. */
#include <shmem.h>

void shpalloc_(void **addr, const int *length, int *errcode, const int *abort);
void shpclmove_(void **addr, const int *length, int *status, const int *abort);

int main(void)
{
    const int few = 10, more = 40, less = -1, never = 0;
    int status;
    void *a, *b, *c;
    shmem_init();
    a = shmem_malloc(100);
    shmem_pcontrol(0);
    b = shmem_malloc(1000);
    shmem_free(a);
    shmem_pcontrol(1);
    shpalloc_(&c, &few, &status, &never);
    a = c;
    shpalloc_(&a, &less, &status, &never);
    shpclmove_(&c, &more, &status, &never);
    shpclmove_(&c, &less, &status, &never);
    shmem_free(b);
    shmem_free(c);
    shmem_pcontrol(0);
    shmem_finalize();
    return 0;
}
