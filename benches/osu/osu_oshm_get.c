/* Latency of shmem_getmem. */
#include "osu_oshm.h"

OSU_LATENCY_PROGRAM("OSU-style OpenSHMEM get latency", shmem_getmem(local, remote, size, peer))
