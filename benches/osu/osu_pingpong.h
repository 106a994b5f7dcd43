/*
 * A ping-pong of the lower half of the PEs with the upper half, all pairs at once: what SEND tells the partner, AWAIT
 * waits for. Half a round trip is printed.
 */
#ifndef OSU_PINGPONG_H
#define OSU_PINGPONG_H

#include "../common/waiting.h"
#include "osu_oshm.h"

/* SEND and AWAIT may use (remote, local, size, peer); the n-th SEND tells ++sent, the n-th AWAIT waits for
 * ++awaited. */
#define OSU_PINGPONG_PROGRAM(TITLE, SMALLEST, LARGEST, SEND, AWAIT)                                        \
    static char osu_local_statics[BENCH_MAX_SIZE + OSU_PAGE];                                              \
    static char osu_remote_statics[BENCH_MAX_SIZE + OSU_PAGE];                                             \
    int main(int argc, char **argv)                                                                        \
    {                                                                                                      \
        struct osu_job j = osu_start(argc, argv, "heap|global", BENCH_PINGPONG_ITERATIONS);                \
        osu_need_pairs(&j, argv[0]);                                                                       \
        char *local = osu_buffer(&j, osu_local_statics, BENCH_MAX_SIZE);                                   \
        char *remote = osu_buffer(&j, osu_remote_statics, BENCH_MAX_SIZE);                                 \
        int peer = j.peer;                                                                                 \
        uint64_t sent = 0, awaited = 0;                                                                    \
        if (j.me == 0)                                                                                     \
            bench_head_spread(TITLE);                                                                      \
        for (size_t size = bench_first(&j.options, SMALLEST); size <= j.options.max && size <= (LARGEST);  \
             size *= BENCH_STEP)                                                                           \
            BENCH_PINGPONG_ROW(size, j.active, shmem_barrier_all(), osu_spread,                            \
                               SEND, AWAIT);                                                              \
        return osu_end();                                                                                  \
    }

#endif
