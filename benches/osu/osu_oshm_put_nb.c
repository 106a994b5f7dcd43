/* Latency of one nonblocking put and the shmem_quiet that completes it. */
#include "osu_oshm.h"

OSU_LATENCY_PROGRAM("OSU-style OpenSHMEM nonblocking put latency",
                    shmem_putmem_nbi(remote, local, size, peer); shmem_quiet())
