/* What the parts of the runtime in C share: the calls of a thread, and what an access of the compilers' calls needs. */

#ifndef OSHMPI_RACE_CALLS_H
#define OSHMPI_RACE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#define PC ((uintptr_t)__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define HIDDEN __attribute__((visibility("hidden")))
#define SHOWN __attribute__((visibility("default")))

enum { DEPTH = 256, PAGE_BITS = 12, ADDRESS_BITS = 48, GRANULES = 512, STORE = 256 };
/* Of a page's word: as in `memory.rs`. */
enum { PRIVATE = 1, OWN = 2, OF_THREADS = 4 };
enum { SITES = 4096, SITE_BITS = 24 };

/* `order::Now` in C. */
struct now {
    uint64_t whole;
    uint64_t mark;
    uint32_t owner;
};

/* `thread::Stack` in C. */
struct stack {
    uint32_t depth;
    uint32_t inside;
    void *me;
    struct now now;
    const uint64_t *sites;
    uint64_t hash;
    uintptr_t pcs[DEPTH];
    uint64_t hashes[DEPTH + 1];
};

/* `seen::Seen` in C: what the thread has noted in a page. */
struct seen {
    uint64_t whole;
    const uint32_t *page;
    uint32_t lost;
    uint32_t begun;
    uint8_t bytes[2][GRANULES];
};

/* `shadow::Page` in C. */
struct page {
    uint32_t lost;
    uint32_t owner;
    uint32_t open[2];
    uint32_t split;
    uint32_t unused[3];
    int64_t rest;
    uint32_t unused_either[6];
    uint64_t last[2][GRANULES];
};

/* As `shadow::Rest` begins. */
struct rest {
    uint64_t before[2][GRANULES];
};

/* Shown: `accesses.c` is linked into each program. */
SHOWN extern __thread struct stack oshmpi_race_calls __attribute__((tls_model("initial-exec")));
SHOWN extern uint64_t *oshmpi_race_pages;

SHOWN void oshmpi_race_reserve(void);
SHOWN void oshmpi_race_access(uintptr_t addr, size_t len, int write, uintptr_t pc);
SHOWN void oshmpi_race_first(uintptr_t addr, size_t what, uintptr_t pc, struct stack *);

/* As `site::mix`. */
static inline uint64_t mix(uint64_t one, uint64_t two)
{
    uint64_t x = (one ^ two) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

/* Whether an access to this address has nothing to be compared with. */
static inline int alone(uintptr_t addr)
{
    return addr >> ADDRESS_BITS || ((volatile uint64_t *)oshmpi_race_pages)[addr >> PAGE_BITS] == PRIVATE;
}

#endif
