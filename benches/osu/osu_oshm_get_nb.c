/* Latency of one nonblocking get and the shmem_quiet that completes it. */
#include "osu_oshm.h"

OSU_LATENCY_PROGRAM("OSU-style OpenSHMEM nonblocking get latency",
                    shmem_getmem_nbi(local, remote, size, peer); shmem_quiet())
