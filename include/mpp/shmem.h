/* mpp/shmem.h: the old place of shmem.h. (deprecated) */
#include "../shmem.h"
