/* What the parts of the runtime in C share: the calls of a thread, and what an access of the compilers' calls needs. */

#ifndef OSHMPI_RACE_CALLS_H
#define OSHMPI_RACE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#define PC ((uintptr_t)__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define HIDDEN __attribute__((visibility("hidden")))
#define SHOWN __attribute__((visibility("default")))

enum { DEPTH = 256, PAGE_BITS = 12, ADDRESS_BITS = 48, GRANULES = 512, PRIVATE = 1, STORE = 256, SITES = 1024 };

/* The same as `thread::Cached`. */
struct site {
    uint64_t hash;
    uint32_t site;
};

/* The same as `thread::Stack`. */
struct stack {
    uint32_t depth;
    uint32_t inside;
    void *me;
    const uint64_t *whole;
    const struct site *sites;
    uintptr_t pcs[DEPTH];
    uint64_t hashes[DEPTH];
};

/* The same as `seen::Seen`: what the thread has noted in a page. */
struct seen {
    uint64_t whole;
    const uint32_t *page;
    uint32_t lost;
    uint32_t own;
    uint32_t tag;
    uint32_t begun;
    uint8_t bytes[2][GRANULES];
};

/* The same as `owned::Own` begins: the marks of a page that is the thread's own. */
struct own {
    struct seen seen;
    uint32_t sites[2][GRANULES];
};

/* Shown: `accesses.c` is linked into each program. */
SHOWN extern __thread struct stack oshmpi_race_calls __attribute__((tls_model("initial-exec")));
SHOWN extern uint64_t *oshmpi_race_pages;
SHOWN extern uint64_t oshmpi_race_alone;
SHOWN extern const uint64_t oshmpi_race_nobody;

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
    uint64_t *pages = *(uint64_t *volatile *)&oshmpi_race_pages;
    return !pages || addr >> ADDRESS_BITS || pages[addr >> PAGE_BITS] == *(volatile uint64_t *)&oshmpi_race_alone;
}

#endif
