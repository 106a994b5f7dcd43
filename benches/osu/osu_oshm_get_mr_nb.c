/* Message rate of shmem_getmem_nbi. */
#include "osu_oshm.h"

OSU_RATE_PROGRAM("OSU-style OpenSHMEM nonblocking get message rate",
                 shmem_getmem_nbi(local, remote, size, peer))
