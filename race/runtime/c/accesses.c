/* The compilers' calls before loads and stores, and where functions begin and end. Almost all calls end here: nothing
 * is noted of the page, or it is the thread's own, or the thread has noted the access in this epoch.
 *
 * These functions are also linked into each program, so that calls of them need no jump over a table. */

#include "calls.h"

static __attribute__((noinline)) void first(uintptr_t addr, size_t what, uintptr_t pc)
{
    if (what % STORE <= 8)
        oshmpi_race_first(addr, what, pc, &oshmpi_race_calls);
    else
        oshmpi_race_access(addr, what % STORE, what >= STORE, pc);
}

/* This copy's pointer to the words of pages. */
static uint64_t *pages;
static __attribute__((constructor(101))) void find_pages(void)
{
    oshmpi_race_reserve();
    pages = oshmpi_race_pages;
}

/* Whether a page is the thread's own. Asked after a mark: who takes the page away says so first, and makes the
 * processor keep that order.
 *
 * The only thread of a process need not ask before. It alone may own the page. A mark that it makes while all use cells
 * says what is true, and is of an epoch before the one in which it gets the page again, or of that one. */
static inline int is_own(const volatile uint32_t *open, const struct now *now)
{
    __asm__ volatile("" ::: "memory");
    return LIKELY(*open == now->owner);
}

/* The site of an instruction in what is called now. More than SITE_BITS: it is not known. The same as
 * `Me::routine_in`. */
static inline uint64_t site_of(uintptr_t pc)
{
    uint64_t hash = oshmpi_race_calls.hash ^ pc;
    return oshmpi_race_calls.sites[hash % SITES] ^ hash << SITE_BITS;
}

/* The first access of the epoch to a granule or a part of it, in a page that is the thread's own. As `Page::mark`. */
static __attribute__((noinline)) void part(uintptr_t addr, size_t what, uintptr_t pc, struct page *page)
{
    int write = what >= STORE;
    uintptr_t granule = (addr >> 3) % GRANULES;
    struct rest *rest = (struct rest *)((char *)(page + 1) + page->rest);
    uint64_t *last = &page->last[write][granule], *before = &rest->before[write][granule];
    const struct now *now = &oshmpi_race_calls.now;
    const uint64_t all = (uint64_t)0xff << SITE_BITS;
    uint64_t bytes = (uint64_t)(((1u << what % STORE) - 1) << addr % 8) << SITE_BITS;
    uint64_t old = __atomic_load_n(last, __ATOMIC_RELAXED), site = site_of(pc);
    uint64_t new = (now->mark & ~all) | bytes | site;
    if (site >> SITE_BITS) {
        first(addr, what, pc);
        return;
    }
    if (old >> 32 == new >> 32) {
        new |= old & all;
    } else if (old & all & ~bytes) {
        if (!page->split || *before & all & ~(old | bytes)) {
            first(addr, what, pc);
            return;
        }
        __atomic_store_n(before, old, __ATOMIC_RELAXED);
    }
    __atomic_store_n(last, new, __ATOMIC_RELEASE);
    if (!is_own(&page->open[write], now))
        first(addr, what, pc);
}

/* An access to a page that a thread of this process owns, or has owned, where there are several. */
static __attribute__((noinline)) void of_threads(uintptr_t addr, size_t what, uintptr_t pc, struct page *page)
{
    if (addr % 8 + what % STORE <= 8 && is_own(&page->open[what >= STORE], &oshmpi_race_calls.now))
        part(addr, what, pc, page);
    else
        first(addr, what, pc);
}

/* An access of the type's alignment, which lies in one page, of at most 8 bytes.
 *
 * If the mark is there, nobody is asked whose the page is: a mark of this epoch was made while the page was the
 * thread's own, and who took the page away has made a cell of it; or it was made later, and the thread has noted the
 * same access as a cell then. */
static inline __attribute__((always_inline)) void access(const volatile void *at, size_t len, int write)
{
    uintptr_t addr = (uintptr_t)at;
    uint64_t word = __atomic_load_n(&pages[addr >> PAGE_BITS], __ATOMIC_RELAXED);
    if (LIKELY(word == PRIVATE))
        return;
    const size_t what = len | write * STORE;
    if (LIKELY(word & OWN)) {
        /* Without a difference first, the compiler's addresses have one constant. Of 8 bytes in two granules, parts of
         * two marks are read, which together are no mark of this epoch. */
        const size_t in_page = len == 8 ? ((size_t)1 << PAGE_BITS) - 1 : (GRANULES - 1) * 8;
        const struct now *now = &oshmpi_race_calls.now;
        uint64_t *last = (uint64_t *)(word + (addr & in_page) + (offsetof(struct page, last[write]) - OWN));
        uint64_t missing = len == 8 ? 0 : (uint8_t)~(((1u << len) - 1) << addr % 8);
        uint64_t differs = ((__atomic_load_n(last, __ATOMIC_RELAXED) | missing << SITE_BITS) ^ now->mark) >> SITE_BITS;
        if (differs == 0 && LIKELY(len == 8 || addr % 8 + len <= 8))
            return;
        /* Another epoch, or bytes that were not noted. */
        if (len < 8 && addr % 8 + len <= 8) {
            part(addr, what, PC, (struct page *)(word - OWN));
            return;
        }
        uint64_t site = site_of(PC);
        if (LIKELY(site >> SITE_BITS == 0 && len == 8 && addr % 8 == 0)) {
            __atomic_store_n(last, now->mark | site, __ATOMIC_RELEASE);
            if (is_own((const uint32_t *)(word + (offsetof(struct page, open[write]) - OWN)), now))
                return;
        }
    } else if (word & OF_THREADS) {
        of_threads(addr, what, PC, (struct page *)(word - OF_THREADS));
        return;
    } else if (word) {
        /* `seen.rs` says why the marks hide no race. */
        const struct seen *seen = (const struct seen *)word;
        const uint8_t *bytes = seen->bytes[write] + (addr >> 3) % GRANULES;
        uint32_t wanted = len == 8 ? 0xff : ((1u << len) - 1) << addr % 8;
        int valid = seen->whole == oshmpi_race_calls.now.whole && *(volatile const uint32_t *)seen->page == seen->lost;
        if (LIKELY(valid) && (len < 8 || addr % 8 == 0) && LIKELY((*bytes & wanted) == wanted))
            return;
    }
    first(addr, what, PC);
}

/* As gcc and clang ask it of one instruction for 16 bytes. */
static inline __attribute__((always_inline)) void access16(const volatile void *at, size_t len, int write)
{
    const volatile char *low = at;
    if (LIKELY((uintptr_t)at % 8 == 0)) {
        access(low, 8, write);
        access(low + 8, 8, write);
    } else {
        oshmpi_race_access((uintptr_t)at, len, write, PC);
    }
}

static inline __attribute__((always_inline)) void unaligned(const volatile void *at, size_t len, int write)
{
    uintptr_t addr = (uintptr_t)at;
    if (len == 16 && addr % 8 == 0)
        access16(at, len, write);
    else if (len < 16 && LIKELY(((addr ^ (addr + len - 1)) >> PAGE_BITS) == 0))
        access(at, len, write);
    else if (!(alone(addr) && alone(addr + len - 1)))
        oshmpi_race_access(addr, len, write, PC);
}

void __tsan_func_entry(void *pc)
{
    struct stack *stack = &oshmpi_race_calls;
    uint32_t d = stack->depth++;
    if (LIKELY(d < DEPTH)) {
        stack->pcs[d] = (uintptr_t)pc;
        stack->hashes[d + 1] = stack->hash = mix(stack->hash, (uintptr_t)pc);
    }
}

void __tsan_func_exit(void)
{
    struct stack *stack = &oshmpi_race_calls;
    if (LIKELY(stack->depth > 0)) {
        uint32_t d = --stack->depth;
        if (LIKELY(d < DEPTH))
            stack->hash = stack->hashes[d];
    }
}

#define SIZED(n, ACCESS)                                                               \
    void __tsan_read##n(void *at) { ACCESS(at, n, 0); }                                       \
    void __tsan_write##n(void *at) { ACCESS(at, n, 1); }                                      \
    void __tsan_unaligned_read##n(void *at) { unaligned(at, n, 0); }               \
    void __tsan_unaligned_write##n(void *at) { unaligned(at, n, 1); }              \
    void __tsan_read_write##n(void *at) { ACCESS(at, n, 1); }                                 \
    void __tsan_unaligned_read_write##n(void *at) { unaligned(at, n, 1); }         \
    void __tsan_volatile_read##n(void *at) { ACCESS(at, n, 0); }                              \
    void __tsan_volatile_write##n(void *at) { ACCESS(at, n, 1); }                             \
    void __tsan_unaligned_volatile_read##n(void *at) { unaligned(at, n, 0); }      \
    void __tsan_unaligned_volatile_write##n(void *at) { unaligned(at, n, 1); }
SIZED(1, access)
SIZED(2, access)
SIZED(4, access)
SIZED(8, access)
SIZED(16, access16)

void __tsan_vptr_read(void **at) { access(at, sizeof *at, 0); }

/* Constructors and destructors write the pointer that is there. */
void __tsan_vptr_update(void **at, void *new)
{
    access(at, sizeof *at, *at != new);
}
