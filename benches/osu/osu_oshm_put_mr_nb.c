/* Message rate of shmem_putmem_nbi. */
#include "osu_oshm.h"

OSU_RATE_PROGRAM("OSU-style OpenSHMEM nonblocking put message rate",
                 shmem_putmem_nbi(remote, local, size, peer))
