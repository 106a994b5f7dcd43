/* What the wrappers of liboshmpi_profile.so call. `cargo xtask install` writes the wrappers from the lists in spec/:
 * each defines shmem_x, calls pshmem_x, and then recorder_note. */
#ifndef OSHMPI_PROFILE_RECORDER_H
#define OSHMPI_PROFILE_RECORDER_H

#include <pshmem.h>
#include <shmemx.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A wrapped routine: its name, and the class of what it does (the letters are explained in recorder.c). */
struct recorder_routine {
    const char *name;
    char kind;
};
extern const struct recorder_routine recorder_routines[];

/* Bytes of a call that moves nothing, and its peer. */
#define NOBODY (-1)

/* The time, in ticks of the CPU's constant clock. */
static inline uint64_t recorder_ticks(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
#error "no clock for this architecture"
#endif
}

/* A call of the routine is over: it began at `begin`, moved `bytes` to or from PE `pe`, and returns to `site`. */
void recorder_note(int routine, uint64_t begin, uint64_t bytes, int pe, void *site);
/* The PE's number in the world, of its number in the team of a context. */
int recorder_world_pe(shmem_ctx_t ctx, int pe);
/* An init has returned; the library is about to end; the program switches recording (shmem_pcontrol). */
void recorder_start(void);
void recorder_write(void);
void recorder_switch(int level);
/* A block of the symmetric heap was allocated, or is about to be freed. */
void recorder_allocated(void *block, size_t bytes);
void recorder_freed(void *block);

#pragma GCC visibility pop

#endif
