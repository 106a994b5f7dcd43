/*
 * One way of a message that tells of its arrival: shmem_putmem_signal and shmem_signal_wait_until. Before OpenSHMEM 1.5
 * the same takes a put, a fence, and a put of the word that is waited for.
 */
#include "osu_pingpong.h"

static uint64_t arrived;

#if OSU_SPEC >= 105
#define SEND shmem_putmem_signal(remote, local, size, &arrived, ++sent, SHMEM_SIGNAL_SET, peer)
#define AWAIT (void)shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, ++awaited)
#else
#define SEND shmem_putmem(remote, local, size, peer); shmem_fence(); shmem_uint64_p(&arrived, ++sent, peer)
#define AWAIT shmem_uint64_wait_until(&arrived, SHMEM_CMP_EQ, ++awaited)
#endif

OSU_PINGPONG_PROGRAM("OSU-style OpenSHMEM put with signal latency", BENCH_STEP_MIN, BENCH_MAX_SIZE, SEND, AWAIT)
