/* Message rate of shmem_putmem. */
#include "osu_oshm.h"

OSU_RATE_PROGRAM("OSU-style OpenSHMEM put message rate", shmem_putmem(remote, local, size, peer))
