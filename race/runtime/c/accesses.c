/* The compilers' calls before loads and stores, and where functions begin and end. Almost all calls end here: nothing
 * is noted yet, or the page is memory of one thread alone, or the thread has noted the access in this epoch.
 *
 * These functions are also linked into each program, so that calls of them need no jump over a table. */

#include "calls.h"

/* Marks an access to a page that is the thread's own. Returns whether it still is. The same as `Own::mark` and
 * `Page::is_still_mine`. */
static inline int marked(struct own *own, uintptr_t addr, size_t len, int write, uintptr_t pc)
{
    const struct stack *stack = &oshmpi_race_calls;
    uint32_t depth = stack->depth < DEPTH ? stack->depth : DEPTH;
    uint64_t hash = mix(depth ? stack->hashes[depth - 1] : 0, pc);
    const struct site *site = &stack->sites[hash % SITES];
    if (site->hash != hash)
        return 0;
    uintptr_t granule = (addr >> 3) % GRANULES;
    uint8_t bytes = ((1u << len) - 1) << addr % 8;
    own->sites[write][granule] = site->site | (own->seen.tag ^ (uint32_t)write << 31);
    own->seen.bytes[0][granule] |= bytes;
    if (write)
        own->seen.bytes[1][granule] |= bytes;
    /* The mark comes before the look at the count; who changes the count makes the processor keep that order. */
    __asm__ volatile("" ::: "memory");
    return *(volatile const uint32_t *)own->seen.page == own->seen.lost;
}

static __attribute__((noinline)) void first(uintptr_t addr, size_t what, uintptr_t pc)
{
    if (what % STORE <= 8)
        oshmpi_race_first(addr, what, pc, &oshmpi_race_calls);
    else
        oshmpi_race_access(addr, what % STORE, what >= STORE, pc);
}

/* The first access of the epoch to a page that is the thread's own. */
static __attribute__((noinline)) void own(uintptr_t addr, size_t what, uintptr_t pc, struct own *own)
{
    if (!LIKELY(addr % 8 + what % STORE <= 8 && marked(own, addr, what % STORE, what >= STORE, pc)))
        first(addr, what, pc);
}

/* An access of the type's alignment, which lies in one page. `seen.rs` says why the marks hide no race. */
static inline __attribute__((always_inline)) void access(const volatile void *at, size_t len, int write, uintptr_t pc)
{
    uintptr_t addr = (uintptr_t)at, granule = (addr >> 3) % GRANULES;
    uint64_t *pages = *(uint64_t *volatile *)&oshmpi_race_pages;
    if (LIKELY(!pages))
        return;
    uint64_t page = pages[addr << (64 - ADDRESS_BITS) >> (64 - ADDRESS_BITS + PAGE_BITS)];
    if (page <= PRIVATE) {
        if (LIKELY(page == *(volatile uint64_t *)&oshmpi_race_alone))
            return;
    } else {
        const struct seen *seen = (const struct seen *)page;
        const uint8_t *bytes = seen->bytes[write] + granule;
        if (LIKELY(seen->whole == *oshmpi_race_calls.whole && *(volatile const uint32_t *)seen->page == seen->lost)) {
            if (len == 16) {
                if (LIKELY(addr % 8 == 0 && granule + 1 < GRANULES && bytes[0] == 0xff && bytes[1] == 0xff))
                    return;
            } else if (len == 8) {
                if (LIKELY(addr % 8 == 0 && *bytes == 0xff))
                    return;
            } else {
                uint32_t wanted = ((1u << len) - 1) << addr % 8;
                if (LIKELY((*bytes & wanted) == wanted))
                    return;
            }
            if (len <= 8 && LIKELY(seen->own)) {
                own(addr, len | write * STORE, pc, (struct own *)page);
                return;
            }
        }
    }
    if (len == 16 && addr % 8 == 0) {
        first(addr, 8 | write * STORE, pc);
        first(addr + 8, 8 | write * STORE, pc);
    } else
        first(addr, len | write * STORE, pc);
}

static inline void unaligned(const volatile void *at, size_t len, int write, uintptr_t pc)
{
    uintptr_t addr = (uintptr_t)at;
    if (LIKELY(((addr ^ (addr + len - 1)) >> PAGE_BITS) == 0))
        access(at, len, write, pc);
    else if (!(alone(addr) && alone(addr + len - 1)))
        oshmpi_race_access(addr, len, write, pc);
}

void __tsan_func_entry(void *pc)
{
    struct stack *stack = &oshmpi_race_calls;
    uint32_t d = stack->depth++;
    if (LIKELY(d < DEPTH)) {
        uint64_t before = d ? stack->hashes[d - 1] : 0;
        stack->pcs[d] = (uintptr_t)pc;
        stack->hashes[d] = mix(before, (uintptr_t)pc);
    }
}

void __tsan_func_exit(void)
{
    struct stack *stack = &oshmpi_race_calls;
    if (LIKELY(stack->depth > 0))
        stack->depth--;
}

#define SIZED(n)                                                                    \
    void __tsan_read##n(void *at) { access(at, n, 0, PC); }                         \
    void __tsan_write##n(void *at) { access(at, n, 1, PC); }                        \
    void __tsan_unaligned_read##n(void *at) { unaligned(at, n, 0, PC); }               \
    void __tsan_unaligned_write##n(void *at) { unaligned(at, n, 1, PC); }              \
    void __tsan_read_write##n(void *at) { access(at, n, 1, PC); }                   \
    void __tsan_unaligned_read_write##n(void *at) { unaligned(at, n, 1, PC); }         \
    void __tsan_volatile_read##n(void *at) { access(at, n, 0, PC); }                \
    void __tsan_volatile_write##n(void *at) { access(at, n, 1, PC); }               \
    void __tsan_unaligned_volatile_read##n(void *at) { unaligned(at, n, 0, PC); }      \
    void __tsan_unaligned_volatile_write##n(void *at) { unaligned(at, n, 1, PC); }
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)

void __tsan_vptr_read(void **at) { access(at, sizeof *at, 0, PC); }

/* Constructors and destructors write the pointer that is there. */
void __tsan_vptr_update(void **at, void *new)
{
    access(at, sizeof *at, *at != new, PC);
}
