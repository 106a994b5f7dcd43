/* types.h: the type tables of the standard as X-macros, with edge values.
 *
 * Written by hand from the standard's tables, apart from the list that the header and the library are made from, so
 * that a mistake there does not agree with itself here.
 *
 * A row is X(NAME, TYPE, KIND): NAME as in shmem_NAME_put, KIND selects the edge values (T_EDGES_KIND).
 */
#ifndef T_TYPES_H
#define T_TYPES_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A routine of a type without a context and with one: by its name, with -DGENERIC C11's macro, or with TEMPLATES
 * that of shmem.hpp, which is included then. */
#ifdef TEMPLATES
#define T_OF(NAME, OP) shmem::OP
#define T_CTX(NAME, OP) shmem::OP
#define T_CMP shmem::cmp
#define T_COMPLEX(TYPE) std::complex<TYPE>
#undef SHMEM_CMP_EQ
#undef SHMEM_CMP_NE
#undef SHMEM_CMP_GT
#undef SHMEM_CMP_LE
#undef SHMEM_CMP_LT
#undef SHMEM_CMP_GE
#define SHMEM_CMP_EQ shmem::cmp::eq
#define SHMEM_CMP_NE shmem::cmp::ne
#define SHMEM_CMP_GT shmem::cmp::gt
#define SHMEM_CMP_LE shmem::cmp::le
#define SHMEM_CMP_LT shmem::cmp::lt
#define SHMEM_CMP_GE shmem::cmp::ge
#elif defined GENERIC
#define T_OF(NAME, OP) shmem_##OP
#define T_CTX(NAME, OP) shmem_##OP
#else
#define T_OF(NAME, OP) shmem_##NAME##_##OP
#define T_CTX(NAME, OP) shmem_ctx_##NAME##_##OP
#endif
#ifndef T_COMPLEX
#define T_COMPLEX(TYPE) TYPE _Complex
#endif

/* Parts of the tables below. */
#define T_REAL(X)                                 \
    X(float, float, FLOAT)                        \
    X(double, double, DOUBLE)                     \
    X(longdouble, long double, LONGDOUBLE)
#define T_SIGNED(X)                               \
    X(int, int, INT)                              \
    X(long, long, LONG)                           \
    X(longlong, long long, LONGLONG)
#define T_UNSIGNED(X)                             \
    X(uint, unsigned int, UINT)                   \
    X(ulong, unsigned long, ULONG)                \
    X(ulonglong, unsigned long long, ULONGLONG)
#define T_SHORT_UNSIGNED(X)                       \
    X(uchar, unsigned char, UCHAR)                \
    X(ushort, unsigned short, USHORT)
#define T_EXACT(X)                                \
    X(int32, int32_t, INT32)                      \
    X(int64, int64_t, INT64)                      \
    X(uint32, uint32_t, UINT32)                   \
    X(uint64, uint64_t, UINT64)
#define T_SHORT_EXACT(X)                          \
    X(int8, int8_t, INT8)                         \
    X(int16, int16_t, INT16)                      \
    X(uint8, uint8_t, UINT8)                      \
    X(uint16, uint16_t, UINT16)

/* The 14 types that are distinct to the compiler on LP64: what a generic macro can tell apart. */
#define T_GENERIC_RMA(X)                          \
    T_REAL(X)                                     \
    X(char, char, CHAR)                           \
    X(schar, signed char, SCHAR)                  \
    X(short, short, SHORT)                        \
    T_SIGNED(X)                                   \
    T_SHORT_UNSIGNED(X)                           \
    T_UNSIGNED(X)
#define T_GENERIC_AMO(X) T_SIGNED(X) T_UNSIGNED(X)

/* The 24 types of RMA. */
#define T_RMA(X)                                  \
    T_GENERIC_RMA(X)                              \
    T_SHORT_EXACT(X)                              \
    T_EXACT(X)                                    \
    X(size, size_t, SIZE)                         \
    X(ptrdiff, ptrdiff_t, PTRDIFF)

/* Standard AMO types: all operations but the bitwise ones. */
#define T_AMO_STD(X)                              \
    T_GENERIC_AMO(X)                              \
    T_EXACT(X)                                    \
    X(size, size_t, SIZE)                         \
    X(ptrdiff, ptrdiff_t, PTRDIFF)

/* Extended AMO types: fetch, set, swap. */
#define T_AMO_EXT(X)                              \
    X(float, float, FLOAT)                        \
    X(double, double, DOUBLE)                     \
    T_AMO_STD(X)

/* Bitwise AMO types; those of shmem.hpp may have a sign. */
#ifdef TEMPLATES
#define T_AMO_BITS(X) T_GENERIC_AMO(X) T_EXACT(X)
#else
#define T_AMO_BITS(X) T_UNSIGNED(X) T_EXACT(X)
#endif

/* Deprecated AMO names: cswap, finc, inc, fadd, add. */
#define T_AMO_OLD(X) T_SIGNED(X)

/* Deprecated AMO names: fetch, set, swap. */
#define T_AMO_OLD_EXT(X)                          \
    X(float, float, FLOAT)                        \
    X(double, double, DOUBLE)                     \
    T_AMO_OLD(X)

/* Active-set reductions: and, or, xor. */
#define T_ASET_BITS(X) X(short, short, SHORT) T_SIGNED(X)

/* Active-set reductions: max, min. */
#define T_ASET_ORDER(X) T_ASET_BITS(X) T_REAL(X)

/* Active-set reductions: sum, prod; the complex types come apart, because they have no order. */
#define T_ASET_COMPLEX(X)                         \
    X(complexd, T_COMPLEX(double), COMPLEXD)      \
    X(complexf, T_COMPLEX(float), COMPLEXF)

/* Edge values, T_EDGES of each kind: both ends of the range, around 0, and patterns with different bytes. */
enum { T_EDGES = 8 };
#define T_E_SIGNED(T, MIN, MAX) {(T)0, (T)1, (T)-1, MIN, MAX, (T)((MIN) + 1), (T)0x1122334455667788, (T)0x55}
#define T_E_UNSIGNED(T, MAX) {(T)0, (T)1, MAX, (T)(MAX >> 1), (T)((MAX >> 1) + 1), (T)0xa1b2c3d4e5f60718, (T)0xaa, (T)2}
#define T_EDGES_CHAR T_E_SIGNED(char, CHAR_MIN, CHAR_MAX)
#define T_EDGES_SCHAR T_E_SIGNED(signed char, SCHAR_MIN, SCHAR_MAX)
#define T_EDGES_SHORT T_E_SIGNED(short, SHRT_MIN, SHRT_MAX)
#define T_EDGES_INT T_E_SIGNED(int, INT_MIN, INT_MAX)
#define T_EDGES_LONG T_E_SIGNED(long, LONG_MIN, LONG_MAX)
#define T_EDGES_LONGLONG T_E_SIGNED(long long, LLONG_MIN, LLONG_MAX)
#define T_EDGES_INT8 T_E_SIGNED(int8_t, INT8_MIN, INT8_MAX)
#define T_EDGES_INT16 T_E_SIGNED(int16_t, INT16_MIN, INT16_MAX)
#define T_EDGES_INT32 T_E_SIGNED(int32_t, INT32_MIN, INT32_MAX)
#define T_EDGES_INT64 T_E_SIGNED(int64_t, INT64_MIN, INT64_MAX)
#define T_EDGES_PTRDIFF T_E_SIGNED(ptrdiff_t, PTRDIFF_MIN, PTRDIFF_MAX)
#define T_EDGES_UCHAR T_E_UNSIGNED(unsigned char, UCHAR_MAX)
#define T_EDGES_USHORT T_E_UNSIGNED(unsigned short, USHRT_MAX)
#define T_EDGES_UINT T_E_UNSIGNED(unsigned, UINT_MAX)
#define T_EDGES_ULONG T_E_UNSIGNED(unsigned long, ULONG_MAX)
#define T_EDGES_ULONGLONG T_E_UNSIGNED(unsigned long long, ULLONG_MAX)
#define T_EDGES_UINT8 T_E_UNSIGNED(uint8_t, UINT8_MAX)
#define T_EDGES_UINT16 T_E_UNSIGNED(uint16_t, UINT16_MAX)
#define T_EDGES_UINT32 T_E_UNSIGNED(uint32_t, UINT32_MAX)
#define T_EDGES_UINT64 T_E_UNSIGNED(uint64_t, UINT64_MAX)
#define T_EDGES_SIZE T_E_UNSIGNED(size_t, SIZE_MAX)
#define T_EDGES_FLOAT {0.0f, -0.0f, FLT_MAX, -FLT_MIN, INFINITY, FLT_MIN / 8, -1.25f, NAN}
#define T_EDGES_DOUBLE {0.0, -0.0, DBL_MAX, -DBL_MIN, -INFINITY, DBL_MIN / 8, 1e-300, NAN}
#define T_EDGES_LONGDOUBLE {0.0L, -0.0L, LDBL_MAX, -LDBL_MIN, INFINITY, LDBL_MIN / 8, 1.0L / 3.0L, NAN}

/* Bytes of a value that count: a long double of x86 has 10, the rest is padding that need not be kept. */
#if LDBL_MANT_DIG == 64
#define T_VALUE_BYTES(TYPE) (sizeof(TYPE) == sizeof(long double) ? 10 : sizeof(TYPE))
#else
#define T_VALUE_BYTES(TYPE) sizeof(TYPE)
#endif

/* t_edge_NAME(i) gives an edge value, t_same_NAME tells whether two values have the same bits. */
#define T_DEFINE_EDGE(NAME, TYPE, KIND)                                                               \
    __attribute__((unused)) static TYPE t_edge_##NAME(int i)                                          \
    {                                                                                                 \
        static const TYPE edges[T_EDGES] = T_EDGES_##KIND;                                            \
        return edges[(unsigned)i % T_EDGES];                                                          \
    }                                                                                                 \
    __attribute__((unused)) static int t_same_##NAME(TYPE a, TYPE b)                                  \
    {                                                                                                 \
        return memcmp(&a, &b, T_VALUE_BYTES(TYPE)) == 0;                                              \
    }

/* Reductions: operations, and the contribution of element i of PE pe. */
#define MAXOF(a, b) ((a) > (b) ? (a) : (b))
#define MINOF(a, b) ((a) < (b) ? (a) : (b))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
/* Two's complement: in unsigned, then cut to the type. */
#define WRAP_SUM(a, b) ((unsigned long long)(a) + (unsigned long long)(b))
#define WRAP_PROD(a, b) ((unsigned long long)(a) * (unsigned long long)(b))
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))

/* Contributions: edges for integers, small exact numbers for floating point, so that order does not matter. */
#define INTEGER(NAME, TYPE, i, pe) t_edge_##NAME((i) * 3 + (pe) + (i) / 5)
#define EXACT(NAME, TYPE, i, pe) ((TYPE)(((i) * 5 + (pe) * 3) % 8 - 3))
#define POWERS(NAME, TYPE, i, pe) ((TYPE)(((i) + (pe)) % 3 ? 2 : -0.5))
#define WHIRL(NAME, TYPE, i, pe) ((TYPE)(((i) + (pe)) % 4 - 1) + (TYPE)(((i) * 3 + (pe)) % 3 - 1) * (TYPE)I)

#endif
