/*
 * Short calls without a call: what `oshcc -oshmpi-inline` (or -DOSHMPI_INLINE) adds to shmem.h. On x86-64, p, g, put
 * and get of one element, and AMOs of integers, on the default context, become a few instructions of the program
 * wherever the peer's memory is mapped here. In every other case the program calls the routine, as it always does
 * without this file: PEs of other nodes, mistakes, SHMEM_DEBUG, and a library with another layout than this file's.
 *
 * Profiling tools do not see calls that have become instructions.
 */
#ifndef OSHMPI_INLINE_H
#define OSHMPI_INLINE_H

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__)

/* The numbers that the library's own fast path reads: oshmpi/src/memory/inline.rs has the same struct, and a test
 * compares both. All are 0 until the library fills them in. It does so only if the layout is its own. */
#define OSHMPI_INLINE_LAYOUT 1
struct oshmpi_inline {
    uint64_t pes;
    uint64_t reads;
    uint64_t fetches;
    uint64_t stride;
    uint64_t heap_base;
    uint64_t heap_len;
    uint64_t heap_first;
    uint64_t data_base;
    uint64_t data_len;
    uint64_t data_first;
};

/* One in each program and shared object. */
__attribute__((__weak__, __visibility__("hidden"), __aligned__(64))) struct oshmpi_inline oshmpi_inline_here;

void oshmpi_inline_add(struct oshmpi_inline *here, unsigned layout);
void oshmpi_inline_remove(struct oshmpi_inline *here);

__attribute__((__constructor__)) static void oshmpi_inline_begin(void)
{
    oshmpi_inline_add(&oshmpi_inline_here, OSHMPI_INLINE_LAYOUT);
}

__attribute__((__destructor__)) static void oshmpi_inline_end(void)
{
    oshmpi_inline_remove(&oshmpi_inline_here);
}

#define OSHMPI_INLINE_READ(number) __atomic_load_n(&oshmpi_inline_here.number, __ATOMIC_RELAXED)
#define OSHMPI_INLINE_SC __ATOMIC_SEQ_CST
#define OSHMPI_INLINE_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* Where `bytes` at `address` of PE `pe` are mapped here; 0: call the routine. */
extern __inline__ __attribute__((__gnu_inline__, __always_inline__)) uintptr_t
oshmpi_inline_at(uint64_t pes, const volatile void *address, uint64_t bytes, int pe)
{
    if (OSHMPI_INLINE_LIKELY((uint32_t)pe - (uint32_t)(pes >> 32) < (uint32_t)pes)) {
        uint64_t off = (uint64_t)address - OSHMPI_INLINE_READ(heap_base), size = OSHMPI_INLINE_READ(heap_len);
        if (OSHMPI_INLINE_LIKELY(off < size && bytes <= size - off))
            return OSHMPI_INLINE_READ(heap_first) + (uint32_t)pe * OSHMPI_INLINE_READ(stride) + off;
        off = (uint64_t)address - OSHMPI_INLINE_READ(data_base);
        size = OSHMPI_INLINE_READ(data_len);
        if (off < size && bytes <= size - off)
            return OSHMPI_INLINE_READ(data_first) + (uint32_t)pe * OSHMPI_INLINE_READ(stride) + off;
    }
    return 0;
}

/* The compiler keeps the order of what stands before and behind; the processor keeps the order of loads, and of stores
 * behind loads, by itself (docs/design/memory-order.md). */
#define OSHMPI_INLINE_ORDER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* A routine of this name, as the linker finds it. */
#define OSHMPI_INLINE_CALLED(name)                                                                 \
    __extension__ __typeof__(shmem_##name) oshmpi_inline_##name __asm__("shmem_" #name);
#define OSHMPI_INLINE_BODY extern __inline__ __attribute__((__gnu_inline__, __always_inline__))

#define OSHMPI_INLINE_RMA(name, T)                                                                 \
    OSHMPI_INLINE_CALLED(name##_p)                                                                 \
    OSHMPI_INLINE_BODY void shmem_##name##_p(T *dest, T value, int pe)                             \
    {                                                                                              \
        uintptr_t at = oshmpi_inline_at(OSHMPI_INLINE_READ(pes), dest, sizeof(T), pe);             \
        OSHMPI_INLINE_ORDER();                                                                     \
        if (OSHMPI_INLINE_LIKELY(at))                                                              \
            *(volatile T *)at = value;                                                             \
        else                                                                                       \
            oshmpi_inline_##name##_p(dest, value, pe);                                             \
        OSHMPI_INLINE_ORDER();                                                                     \
    }                                                                                              \
    OSHMPI_INLINE_CALLED(name##_g)                                                                 \
    OSHMPI_INLINE_BODY T shmem_##name##_g(const T *source, int pe)                                 \
    {                                                                                              \
        uintptr_t at = oshmpi_inline_at(OSHMPI_INLINE_READ(reads), source, sizeof(T), pe);         \
        OSHMPI_INLINE_ORDER();                                                                     \
        T value = OSHMPI_INLINE_LIKELY(at) ? *(volatile T *)at : oshmpi_inline_##name##_g(source, pe); \
        OSHMPI_INLINE_ORDER();                                                                     \
        return value;                                                                              \
    }                                                                                              \
    OSHMPI_INLINE_CALLED(name##_put)                                                               \
    OSHMPI_INLINE_BODY void shmem_##name##_put(T *dest, const T *source, size_t nelems, int pe)    \
    {                                                                                              \
        uintptr_t at = 0;                                                                          \
        if (__builtin_constant_p(nelems) && nelems == 1 && source)                                 \
            at = oshmpi_inline_at(OSHMPI_INLINE_READ(pes), dest, sizeof(T), pe);                   \
        OSHMPI_INLINE_ORDER();                                                                     \
        if (OSHMPI_INLINE_LIKELY(at))                                                              \
            *(volatile T *)at = *(const volatile T *)source;                                       \
        else                                                                                       \
            oshmpi_inline_##name##_put(dest, source, nelems, pe);                                  \
        OSHMPI_INLINE_ORDER();                                                                     \
    }                                                                                              \
    OSHMPI_INLINE_CALLED(name##_get)                                                               \
    OSHMPI_INLINE_BODY void shmem_##name##_get(T *dest, const T *source, size_t nelems, int pe)    \
    {                                                                                              \
        uintptr_t at = 0;                                                                          \
        if (__builtin_constant_p(nelems) && nelems == 1 && dest)                                   \
            at = oshmpi_inline_at(OSHMPI_INLINE_READ(reads), source, sizeof(T), pe);               \
        OSHMPI_INLINE_ORDER();                                                                     \
        if (OSHMPI_INLINE_LIKELY(at))                                                              \
            *(volatile T *)dest = *(const volatile T *)at;                                         \
        else                                                                                       \
            oshmpi_inline_##name##_get(dest, source, nelems, pe);                                  \
        OSHMPI_INLINE_ORDER();                                                                     \
    }

/* The word at `pe`, if it is mapped and aligned. Where PEs may sleep until a word changes, `fetches` has no PE: AMOs
 * are calls then. */
#define OSHMPI_INLINE_WORD(T)                                                                      \
    uintptr_t at = oshmpi_inline_at(OSHMPI_INLINE_READ(fetches), dest, sizeof(T), pe);             \
    if (OSHMPI_INLINE_LIKELY(at && at % sizeof(T) == 0))

#define OSHMPI_INLINE_FETCH(T, name, op, PARAMS, ARGS)                                             \
    OSHMPI_INLINE_CALLED(name)                                                                     \
    OSHMPI_INLINE_BODY T shmem_##name PARAMS                                                       \
    {                                                                                              \
        OSHMPI_INLINE_WORD(T) return op;                                                           \
        return oshmpi_inline_##name ARGS;                                                          \
    }
#define OSHMPI_INLINE_CHANGE(T, name, op, PARAMS, ARGS)                                            \
    OSHMPI_INLINE_CALLED(name)                                                                     \
    OSHMPI_INLINE_BODY void shmem_##name PARAMS                                                    \
    {                                                                                              \
        OSHMPI_INLINE_WORD(T)                                                                      \
        {                                                                                          \
            op;                                                                                    \
            return;                                                                                \
        }                                                                                          \
        oshmpi_inline_##name ARGS;                                                                 \
    }

#define OSHMPI_INLINE_BOTH(T, name, op, operand)                                                   \
    OSHMPI_INLINE_FETCH(T, name##_atomic_fetch_##op, __atomic_fetch_##operand((T *)at, value, OSHMPI_INLINE_SC), \
                        (T *dest, T value, int pe), (dest, value, pe))                             \
    OSHMPI_INLINE_CHANGE(T, name##_atomic_##op, __atomic_fetch_##operand((T *)at, value, OSHMPI_INLINE_SC), \
                         (T *dest, T value, int pe), (dest, value, pe))

#define OSHMPI_INLINE_BITS(name, T)                                                                \
    OSHMPI_INLINE_BOTH(T, name, and, and)                                                          \
    OSHMPI_INLINE_BOTH(T, name, or, or)                                                            \
    OSHMPI_INLINE_BOTH(T, name, xor, xor)

#define OSHMPI_INLINE_AMO(name, T)                                                                 \
    OSHMPI_INLINE_FETCH(T, name##_atomic_fetch, __atomic_load_n((T *)at, OSHMPI_INLINE_SC),        \
                        (const T *dest, int pe), (dest, pe))                                       \
    OSHMPI_INLINE_CHANGE(T, name##_atomic_set, __atomic_store_n((T *)at, value, OSHMPI_INLINE_SC), \
                         (T *dest, T value, int pe), (dest, value, pe))                            \
    OSHMPI_INLINE_FETCH(T, name##_atomic_swap, __atomic_exchange_n((T *)at, value, OSHMPI_INLINE_SC), \
                        (T *dest, T value, int pe), (dest, value, pe))                             \
    OSHMPI_INLINE_FETCH(T, name##_atomic_compare_swap,                                             \
                        (__atomic_compare_exchange_n((T *)at, &cond, value, 0,                         \
                                                     OSHMPI_INLINE_SC, OSHMPI_INLINE_SC), cond),       \
                        (T *dest, T cond, T value, int pe), (dest, cond, value, pe))               \
    OSHMPI_INLINE_FETCH(T, name##_atomic_fetch_inc, __atomic_fetch_add((T *)at, 1, OSHMPI_INLINE_SC), \
                        (T *dest, int pe), (dest, pe))                                             \
    OSHMPI_INLINE_CHANGE(T, name##_atomic_inc, __atomic_fetch_add((T *)at, 1, OSHMPI_INLINE_SC),   \
                         (T *dest, int pe), (dest, pe))                                            \
    OSHMPI_INLINE_BOTH(T, name, add, add)

OSHMPI_INLINE_RMA(float, float)
OSHMPI_INLINE_RMA(double, double)
OSHMPI_INLINE_RMA(char, char)
OSHMPI_INLINE_RMA(schar, signed char)
OSHMPI_INLINE_RMA(short, short)
OSHMPI_INLINE_RMA(int, int)
OSHMPI_INLINE_RMA(long, long)
OSHMPI_INLINE_RMA(longlong, long long)
OSHMPI_INLINE_RMA(uchar, unsigned char)
OSHMPI_INLINE_RMA(ushort, unsigned short)
OSHMPI_INLINE_RMA(uint, unsigned int)
OSHMPI_INLINE_RMA(ulong, unsigned long)
OSHMPI_INLINE_RMA(ulonglong, unsigned long long)
OSHMPI_INLINE_RMA(int8, int8_t)
OSHMPI_INLINE_RMA(int16, int16_t)
OSHMPI_INLINE_RMA(int32, int32_t)
OSHMPI_INLINE_RMA(int64, int64_t)
OSHMPI_INLINE_RMA(uint8, uint8_t)
OSHMPI_INLINE_RMA(uint16, uint16_t)
OSHMPI_INLINE_RMA(uint32, uint32_t)
OSHMPI_INLINE_RMA(uint64, uint64_t)
OSHMPI_INLINE_RMA(size, size_t)
OSHMPI_INLINE_RMA(ptrdiff, ptrdiff_t)
OSHMPI_INLINE_AMO(int, int)
OSHMPI_INLINE_AMO(long, long)
OSHMPI_INLINE_AMO(longlong, long long)
OSHMPI_INLINE_AMO(uint, unsigned int)
OSHMPI_INLINE_AMO(ulong, unsigned long)
OSHMPI_INLINE_AMO(ulonglong, unsigned long long)
OSHMPI_INLINE_AMO(int32, int32_t)
OSHMPI_INLINE_AMO(int64, int64_t)
OSHMPI_INLINE_AMO(uint32, uint32_t)
OSHMPI_INLINE_AMO(uint64, uint64_t)
OSHMPI_INLINE_AMO(size, size_t)
OSHMPI_INLINE_AMO(ptrdiff, ptrdiff_t)
OSHMPI_INLINE_BITS(uint, unsigned int)
OSHMPI_INLINE_BITS(ulong, unsigned long)
OSHMPI_INLINE_BITS(ulonglong, unsigned long long)
OSHMPI_INLINE_BITS(int32, int32_t)
OSHMPI_INLINE_BITS(int64, int64_t)
OSHMPI_INLINE_BITS(uint32, uint32_t)
OSHMPI_INLINE_BITS(uint64, uint64_t)

#endif

#endif /* OSHMPI_INLINE_H */
