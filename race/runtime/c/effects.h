/* What the rows of `spec/race.effects` call: `effects.rs` and `collective.rs`. */

#ifndef OSHMPI_RACE_EFFECTS_H
#define OSHMPI_RACE_EFFECTS_H

#include <pshmem.h>
#include <shmem.h>
#include <shmemx.h>
#include <stddef.h>
#include <stdint.h>

#define PC ((uintptr_t)__builtin_return_address(0))

int oshmpi_race_enter(uint32_t routine, uintptr_t pc);
void oshmpi_race_leave(void);

/* The class of an AMO's type. */
#define CLASS(T) _Generic((T)0, float: 3, double: 4, default: sizeof(T) == 8 ? 2 : sizeof(T) == 4 ? 1 : 5)
#define SIGNAL_CLASS 2

void race_reads(const void *at, size_t bytes);
void race_writes(void *at, size_t bytes);
void race_put(shmem_ctx_t, void *dest, const void *source, size_t dst, size_t sst, size_t bytes, size_t blocks, int pe,
              int nbi);
void race_put_one(shmem_ctx_t, void *dest, size_t bytes, int pe);
void race_get(shmem_ctx_t, void *dest, const void *source, size_t dst, size_t sst, size_t bytes, size_t blocks, int pe,
              int nbi);
void race_amo(shmem_ctx_t, const void *dest, size_t bytes, uint32_t class, int pe, int writes, int fetches,
              void *fetch);
void race_amo_seen(shmem_ctx_t, const void *dest, int pe);
void race_put_signal(shmem_ctx_t, void *dest, const void *source, size_t bytes, uint64_t *signal, uint32_t class,
                     int pe, int nbi);
void race_waited(const void *ivar, size_t bytes, uint32_t class, int seen);
void race_waited_all(const void *ivars, size_t n, const int *status, size_t bytes, uint32_t class, int seen);
void race_waited_some(const void *ivars, const size_t *indices, size_t n, size_t bytes, uint32_t class);
void race_quiet(shmem_ctx_t);
void race_fence(shmem_ctx_t);
void race_pe_quiet(shmem_ctx_t, const int *pes, size_t n);
void race_ctx_destroy(shmem_ctx_t);
void race_locked(long *lock);
void race_unlock(long *lock);
void race_arrive(shmem_team_t, int quiet);
void race_arrive_set(int start, int log, int size, int quiet);
void race_depart(void);
void race_split(shmem_team_t parent, shmem_team_t made, shmem_team_t other);
void race_team_destroy(shmem_team_t);
void race_allocated(void *at, size_t bytes);
void race_freed(void *at);
void race_started(int first);
void race_finalizing(void);
void race_finalized(void);
int race_status(int status);

/* `collective::Moves` and `collective::Buffers` in C. */
enum moves { BROADCAST, BROADCAST_SET, COLLECT, FCOLLECT, ALLTOALL, REDUCE, INSCAN, EXSCAN, SYNC };
struct buffers {
    enum moves moves;
    void *dest;
    const void *source;
    size_t bytes, element, dst, sst;
    int root;
};
void race_collective(shmem_team_t, const struct buffers *);
void race_collective_set(int start, int log, int size, long *psync, const struct buffers *);
void race_start(shmem_team_t, const struct buffers *, int quiet);
void race_start_is(shmemx_req_t);
void race_ended(shmemx_req_t);
shmem_team_t oshmpi_tool_space_team(shmemx_space_t);
shmem_team_t oshmpi_tool_block_team(void *);

/* Whose members free a block together, or allocate one. */
static inline shmem_team_t block_team(void *block)
{
    return block ? oshmpi_tool_block_team(block) : SHMEM_TEAM_WORLD;
}

/* A put of one element may tell something; see `cell::Kind::PUT_ONE`. */
static inline void put(shmem_ctx_t ctx, void *dest, const void *source, size_t size, size_t n, int pe)
{
    if (n == 1 && size <= 8) {
        race_reads(source, size);
        race_put_one(ctx, dest, size, pe);
    } else {
        race_put(ctx, dest, source, size, size, size, n, pe, 0);
    }
}

/* One element was found, or none. */
static inline void waited_any(const char *ivars, size_t found, size_t size, uint32_t class)
{
    if (found != SIZE_MAX)
        race_waited(ivars + found * size, size, class, 1);
}

#define MOVE(...) (&(struct buffers){__VA_ARGS__})
#define BLOCK(moves, n, root) MOVE(moves, dest, source, (n) * SIZE, (n) * SIZE, (n) * SIZE, (n) * SIZE, root)
#define STRIDED(n) MOVE(ALLTOALL, dest, source, (n) * SIZE, SIZE, (size_t)dst * SIZE, (size_t)sst * SIZE, 0)
#define EVEN(n) MOVE(ALLTOALL, dest, source, (n) * SIZE, SIZE, SIZE, SIZE, 0)
#define NO_BUFFERS MOVE(SYNC, NULL, NULL, 0, 0, 0, 0, 0)
#define SET PE_start, logPE_stride, PE_size

#endif
