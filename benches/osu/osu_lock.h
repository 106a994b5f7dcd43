/* What the programs with locks share: a contest for one lock that is a contest from its first moment. */
#ifndef OSU_LOCK_H
#define OSU_LOCK_H

#include "osu_oshm.h"

static long osu_lock;

/* PE 0 holds the lock for this long, in microseconds, so that all others come to wait for it. */
#define OSU_LOCK_GATE_US 20000

/*
 * In place of a barrier before a contest. A PE that found the lock free could take and clear it many thousand times
 * before another has its core, and nothing would be handed over.
 */
static inline void osu_lock_gate(const struct osu_job *j)
{
    if (j->me == 0)
        shmem_set_lock(&osu_lock);
    shmem_barrier_all();
    if (j->me == 0) {
        usleep(OSU_LOCK_GATE_US);
        shmem_clear_lock(&osu_lock);
    }
}

#endif
