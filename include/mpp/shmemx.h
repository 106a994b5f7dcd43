/* mpp/shmemx.h: the old place of shmemx.h. (deprecated) */
#include "../shmemx.h"
