/* What gcc and clang call in code that they instrument for ThreadSanitizer. Almost all calls end here: nothing is noted
 * yet, or the page is memory of one thread alone. The names are the compilers' interface. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PC ((uintptr_t)__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)

#define HIDDEN __attribute__((visibility("hidden")))

enum { DEPTH = 256, PAGE_BITS = 12, ADDRESS_BITS = 48, PRIVATE = 1, STORE = 256 };

/* The same as `thread::Stack`. */
struct stack {
    uint32_t depth;
    uint32_t inside;
    void *me;
    uintptr_t pcs[DEPTH];
    uint64_t hashes[DEPTH];
};

static __thread struct stack stack __attribute__((tls_model("initial-exec")));

/* Set by `memory.rs` and `thread.rs`. */
HIDDEN uint64_t *oshmpi_race_pages;
HIDDEN uint64_t oshmpi_race_alone = PRIVATE;
HIDDEN int oshmpi_race_many;

HIDDEN void oshmpi_race_access(uintptr_t addr, size_t len, int write, uintptr_t pc);
HIDDEN void oshmpi_race_small(uintptr_t addr, size_t what, uintptr_t pc, struct stack *, uint64_t word);
HIDDEN void race_atomic(uintptr_t addr, size_t len, int writes, int releases, uintptr_t pc);
HIDDEN void race_atomic_seen(uintptr_t addr);

HIDDEN struct stack *oshmpi_race_stack(void) { return &stack; }

/* Whether an access to this address has nothing to be compared with. */
static inline int alone(uintptr_t addr)
{
    uint64_t *pages = *(uint64_t *volatile *)&oshmpi_race_pages;
    return !pages || addr >> ADDRESS_BITS || pages[addr >> PAGE_BITS] == *(volatile uint64_t *)&oshmpi_race_alone;
}

/* An access of the type's alignment, which lies in one page. */
static inline void access(const volatile void *at, size_t len, int write, uintptr_t pc)
{
    uintptr_t addr = (uintptr_t)at;
    uint64_t *pages = *(uint64_t *volatile *)&oshmpi_race_pages;
    if (LIKELY(!pages || addr >> ADDRESS_BITS))
        return;
    uint64_t page = pages[addr >> PAGE_BITS];
    if (LIKELY(page == *(volatile uint64_t *)&oshmpi_race_alone))
        return;
    if (len <= 8) {
        oshmpi_race_small(addr, len | write * STORE, pc, &stack, page);
    } else if (len == 16 && addr % 8 == 0) {
        oshmpi_race_small(addr, 8 | write * STORE, pc, &stack, page);
        oshmpi_race_small(addr + 8, 8 | write * STORE, pc, &stack, page);
    } else
        oshmpi_race_access(addr, len, write, pc);
}

static inline void unaligned(const volatile void *at, size_t len, int write, uintptr_t pc)
{
    uintptr_t addr = (uintptr_t)at;
    if (LIKELY(((addr ^ (addr + len - 1)) >> PAGE_BITS) == 0))
        access(at, len, write, pc);
    else if (!(alone(addr) && alone(addr + len - 1)))
        oshmpi_race_access(addr, len, write, pc);
}

void __tsan_init(void) {}

void __tsan_func_entry(void *pc)
{
    uint32_t d = stack.depth++;
    if (LIKELY(d < DEPTH)) {
        uint64_t before = d ? stack.hashes[d - 1] : 0;
        uint64_t x = (before ^ (uintptr_t)pc) * 0x9e3779b97f4a7c15u;
        stack.pcs[d] = (uintptr_t)pc;
        stack.hashes[d] = x ^ x >> 29;
    }
}

void __tsan_func_exit(void)
{
    if (LIKELY(stack.depth > 0))
        stack.depth--;
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

void __tsan_vptr_read(void **at) { access(at, sizeof *at, 0, PC); }

/* Constructors and destructors write the pointer that is there. */
void __tsan_vptr_update(void **at, void *new)
{
    access(at, sizeof *at, *at != new, PC);
}

void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

void *__tsan_memcpy(void *to, const void *from, size_t len)
{
    if (len && oshmpi_race_pages) {
        oshmpi_race_access((uintptr_t)from, len, 0, PC);
        oshmpi_race_access((uintptr_t)to, len, 1, PC);
    }
    return memcpy(to, from, len);
}

void *__tsan_memmove(void *to, const void *from, size_t len)
{
    if (len && oshmpi_race_pages) {
        oshmpi_race_access((uintptr_t)from, len, 0, PC);
        oshmpi_race_access((uintptr_t)to, len, 1, PC);
    }
    return memmove(to, from, len);
}

void *__tsan_memset(void *to, int value, size_t len)
{
    if (len && oshmpi_race_pages)
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

static inline int noted(const volatile void *at) { return !alone((uintptr_t)at); }

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
        (void)failed;                                                                                           \
        if (on)                                                                                                 \
            before(at, sizeof *at, 1, order, PC);                                                               \
        int done = __atomic_compare_exchange_n(at, wanted, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
        if (on)                                                                                                 \
            after(at, order);                                                                                   \
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
