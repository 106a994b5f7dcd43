/* Latency of a put that is complete at the target: shmem_putmem and shmem_quiet. */
#include "osu_oshm.h"

OSU_LATENCY_PROGRAM("OSU-style OpenSHMEM put latency", shmem_putmem(remote, local, size, peer); shmem_quiet())
