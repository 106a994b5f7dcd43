/* What gcc and clang call in code that they instrument for ThreadSanitizer, but for what `accesses.c` has. The names
 * are the compilers' interface. */

#include "calls.h"
#include <string.h>

/* As `order::Now::NOBODY`. */
#define NOBODY {.whole = 1, .mark = UINT64_MAX, .owner = UINT32_MAX}
/* Of a thread of which nothing was noted. No site is found there. */
static uint64_t no_sites[SITES];
__thread struct stack oshmpi_race_calls __attribute__((tls_model("initial-exec"))) = {.now = NOBODY, .sites = no_sites};

/* Set by `memory.rs` and `thread.rs`. */
uint64_t *oshmpi_race_pages;
HIDDEN int oshmpi_race_on;
HIDDEN int oshmpi_race_many;
/* The program has made a thread, perhaps before the library was up. */
HIDDEN int oshmpi_race_threads;

HIDDEN void race_atomic(uintptr_t addr, size_t len, int writes, int releases, uintptr_t pc);
HIDDEN void race_atomic_seen(uintptr_t addr);

HIDDEN struct stack *oshmpi_race_stack(void) { return &oshmpi_race_calls; }

/* Before the first access. */
__attribute__((constructor(101))) static void reserve(void) { oshmpi_race_reserve(); }
void __tsan_init(void) { oshmpi_race_reserve(); }

void __tsan_read_range(void *at, size_t len)
{
    if (len)
        oshmpi_race_access((uintptr_t)at, len, 0, PC);
}

void __tsan_write_range(void *at, size_t len)
{
    if (len)
        oshmpi_race_access((uintptr_t)at, len, 1, PC);
}

void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

#define COPIES(name)                                             \
    void *__tsan_##name(void *to, const void *from, size_t len)  \
    {                                                            \
        if (len && oshmpi_race_on) {                             \
            oshmpi_race_access((uintptr_t)from, len, 0, PC);     \
            oshmpi_race_access((uintptr_t)to, len, 1, PC);       \
        }                                                        \
        return name(to, from, len);                              \
    }
COPIES(memcpy)
COPIES(memmove)

void *__tsan_memset(void *to, int value, size_t len)
{
    if (len && oshmpi_race_on)
        oshmpi_race_access((uintptr_t)to, len, 1, PC);
    return memset(to, value, len);
}

/* C11 atomics. Orders are those of <stdatomic.h>. */
static inline int releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static inline int acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

static inline int noted(const volatile void *at) { return oshmpi_race_on && !alone((uintptr_t)at); }

static inline void before(const volatile void *at, size_t len, int writes, int order, uintptr_t pc)
{
    race_atomic((uintptr_t)at, len, writes, writes && releases(order), pc);
}

static inline void after(const volatile void *at, int order)
{
    if (acquires(order))
        race_atomic_seen((uintptr_t)at);
}

#define FETCH(bits, type, name, op)                                                       \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)           \
    {                                                                                     \
        int on = noted(at);                                                               \
        if (on)                                                                           \
            before(at, sizeof *at, 1, order, PC);                                         \
        type old = op(at, value, __ATOMIC_SEQ_CST);                                       \
        if (on)                                                                           \
            after(at, order);                                                             \
        return old;                                                                       \
    }

#define EXCHANGE(bits, type, name)                                                                              \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *wanted, type value, int order,  \
                                                      int failed)                                              \
    {                                                                                                           \
        int on = noted(at);                                                                                     \
        if (on)                                                                                                 \
            before(at, sizeof *at, 1, order, PC);                                                               \
        int done = __atomic_compare_exchange_n(at, wanted, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
        if (on)                                                                                                 \
            after(at, done ? order : failed);                                                                   \
        return done;                                                                                            \
    }

#define ATOMIC(bits, type)                                                                              \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                                 \
    {                                                                                                   \
        int on = noted(at);                                                                             \
        if (on)                                                                                         \
            before(at, sizeof *at, 0, order, PC);                                                       \
        type value = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                             \
        if (on)                                                                                         \
            after(at, order);                                                                           \
        return value;                                                                                   \
    }                                                                                                   \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                          \
    {                                                                                                   \
        if (noted(at))                                                                                  \
            before(at, sizeof *at, 1, order, PC);                                                       \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                   \
    FETCH(bits, type, exchange, __atomic_exchange_n)                                                    \
    FETCH(bits, type, fetch_add, __atomic_fetch_add)                                                    \
    FETCH(bits, type, fetch_sub, __atomic_fetch_sub)                                                    \
    FETCH(bits, type, fetch_and, __atomic_fetch_and)                                                    \
    FETCH(bits, type, fetch_or, __atomic_fetch_or)                                                      \
    FETCH(bits, type, fetch_xor, __atomic_fetch_xor)                                                    \
    FETCH(bits, type, fetch_nand, __atomic_fetch_nand)                                                  \
    EXCHANGE(bits, type, strong)                                                                        \
    EXCHANGE(bits, type, weak)                                                                          \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type wanted, type value, int order, \
                                                    int failed)                                         \
    {                                                                                                   \
        __tsan_atomic##bits##_compare_exchange_strong(at, &wanted, value, order, failed);               \
        return wanted;                                                                                  \
    }
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order) { (void)order; }
