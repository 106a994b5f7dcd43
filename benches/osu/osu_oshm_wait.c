/* One way of a word that is waited for: shmem_p and shmem_wait_until. */
#include "osu_pingpong.h"

static uint64_t word;

/* No message besides the word: the buffers are not used. */
#define SEND ((void)local, (void)remote, shmem_uint64_p(&word, ++sent, peer))
#define AWAIT shmem_uint64_wait_until(&word, SHMEM_CMP_EQ, ++awaited)

OSU_PINGPONG_PROGRAM("OSU-style OpenSHMEM wait latency", sizeof word, sizeof word, SEND, AWAIT)
