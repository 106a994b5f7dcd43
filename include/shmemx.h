/* shmemx.h: what oshmpi offers beyond OpenSHMEM 1.6, and routines of 1.6 under the names that other libraries gave them
 * before. The page shmemx.h(3) of the manual describes it.
 */
#ifndef OSHMPI_SHMEMX_H
#define OSHMPI_SHMEMX_H

#include "shmem.h"

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CLOCK_MONOTONIC
/* Seconds since some time in the past, by a clock that is never set. PEs of several hosts have different clocks. The
 * system hides the clock from programs that are compiled with -std=c99 or -std=c11: -std=gnu11 has it. */
static inline double shmemx_wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif

/* Operations on a context: how many this PE has issued, and how many of them are complete. Writes are puts and atomic
 * operations that give nothing back; reads are gets and those that do. Operations that are a load, a store or an atomic
 * instruction on the PE's node are counted with OSHMPI_STATS only. `target`: writes of other nodes' PEs that this PE
 * has carried out. */
typedef struct {
    uint64_t pending_put; /* issued, those that are complete included */
    uint64_t pending_get;
    uint64_t completed_put;
    uint64_t completed_get;
    uint64_t target;
} shmemx_pcntr_t;

void shmemx_pcntr_get_issued_write(shmem_ctx_t ctx, uint64_t *cntr_value);
void shmemx_pcntr_get_issued_read(shmem_ctx_t ctx, uint64_t *cntr_value);
void shmemx_pcntr_get_completed_write(shmem_ctx_t ctx, uint64_t *cntr_value);
void shmemx_pcntr_get_completed_read(shmem_ctx_t ctx, uint64_t *cntr_value);
void shmemx_pcntr_get_completed_target(uint64_t *cntr_value);
void shmemx_pcntr_get_all(shmem_ctx_t ctx, shmemx_pcntr_t *pcntr);

/* A collective that was started and goes on beside the program: see the page of the manual. */
typedef struct oshmpi_req *shmemx_req_t;
#define SHMEMX_REQ_INVALID ((shmemx_req_t)0)

/* Symmetric memory of one kind, which a team shares: shmemx_space_create(3). */
typedef struct oshmpi_space *shmemx_space_t;
#define SHMEMX_SPACE_INVALID ((shmemx_space_t)0)

#define SHMEMX_SPACE_DEFAULT 0     /* as the symmetric heap */
#define SHMEMX_SPACE_HUGE 1        /* reserved huge pages */
#define SHMEMX_SPACE_NUMA 2        /* the NUMA domain `number` */
#define SHMEMX_SPACE_INTERLEAVED 3 /* all NUMA domains in turn */
#define SHMEMX_SPACE_FILE 4        /* the file `path`, or a file without a name in the directory `path` */
#define SHMEMX_SPACE_DEVICE 5      /* CUDA's device `number`; CPUs cannot touch the memory */

typedef struct {
    size_t size; /* bytes of each PE */
    int kind;
    int number;
    const char *path;
} shmemx_space_config_t;

#include "routines.h" /* of spec/openshmem-1.6.api: put in here when the header is built */

#ifdef __cplusplus
}
#endif

#endif /* OSHMPI_SHMEMX_H */
