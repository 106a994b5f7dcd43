/* shmem.h: OpenSHMEM 1.6 for C and C++.
 *
 * Holds the names of the standard and, beside them, only names that begin with OSHMPI_ or oshmpi_ and the
 * two macros by which others tell that an implementation is complete. Includes nothing but
 * <stddef.h> and <stdint.h>. Works as C99 and later (the generic macros need C11) and as C++98 and later.
 *
 * The prototypes and generic macros near the end are generated from the list of routines; all else is by hand.
 */
#ifndef OSHMPI_SHMEM_H
#define OSHMPI_SHMEM_H

#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ != 8
#error "oshmpi is a library for pointers of 64 bits: compile without -m32, -mx32 and -m16"
#endif

#include <stddef.h>
#include <stdint.h>

/* Version of the standard; the library's own stands in the vendor string. */
#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_VENDOR_STRING "oshmpi 0.1.0"

/* Thread levels, ascending. */
#define SHMEM_THREAD_SINGLE 0
#define SHMEM_THREAD_FUNNELED 1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE 3

/* Hints for shmem_malloc_with_hints: bits, to be ORed. */
#define SHMEM_MALLOC_ATOMICS_REMOTE 1
#define SHMEM_MALLOC_SIGNAL_REMOTE 2

/* Options of contexts: bits, to be ORed. */
#define SHMEM_CTX_SERIALIZED 1
#define SHMEM_CTX_PRIVATE 2
#define SHMEM_CTX_NOSTORE 4

/* Bits of configuration masks (TEAM_NUM_CONTEXTS, TOTAL_OPS) and options of a session (BATCH). */
#define SHMEM_TEAM_NUM_CONTEXTS 1
#define SHMEM_CTX_SESSION_TOTAL_OPS 1
#define SHMEM_CTX_SESSION_BATCH 1

/* What put-with-signal does to the signal word. */
#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

/* Comparisons of wait and test. */
#define SHMEM_CMP_EQ 0
#define SHMEM_CMP_NE 1
#define SHMEM_CMP_GT 2
#define SHMEM_CMP_LE 3
#define SHMEM_CMP_LT 4
#define SHMEM_CMP_GE 5

/* pSync and pWrk of the active-set collectives, in elements. (deprecated) */
#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 8
#define SHMEM_BARRIER_SYNC_SIZE 8
#define SHMEM_BCAST_SYNC_SIZE 8
#define SHMEM_COLLECT_SYNC_SIZE 8
#define SHMEM_REDUCE_SYNC_SIZE 8
#define SHMEM_ALLTOALL_SYNC_SIZE 8
#define SHMEM_ALLTOALLS_SYNC_SIZE 8
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

/* Old spellings. (deprecated) */
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

/* What programs look for that want to know, without asking the version, whether the whole standard is there: shmem4py
 * defines missing routines itself unless it finds these two. */
#define SHMEM_DEF_H
#define SHMEM_FUNCTION_ATTRIBUTES

/* A function that does not return. */
#if (defined(__cplusplus) && __cplusplus >= 201103L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define OSHMPI_NORETURN [[noreturn]]
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define OSHMPI_NORETURN _Noreturn
#elif defined(__GNUC__)
#define OSHMPI_NORETURN __attribute__((__noreturn__))
#else
#define OSHMPI_NORETURN
#endif

/* Generic macros exist in C11 and later, never in C++. */
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define OSHMPI_HAVE_GENERICS 1
#else
#define OSHMPI_HAVE_GENERICS 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Handles point to nothing that a program can look at. The predefined ones are cast constants, so that they can
 * initialise static objects; the two types differ, so that the generic macros can tell them apart. Objects with the
 * same names and values are for bindings of other languages, which see no macros with casts; some of these bindings
 * name Sandia's tags. */
typedef struct shmem_impl_ctx_t *shmem_ctx_t;
extern const shmem_ctx_t SHMEM_CTX_INVALID, SHMEM_CTX_DEFAULT;
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)
#define SHMEM_CTX_DEFAULT ((shmem_ctx_t)1)

typedef struct shmem_impl_team_t *shmem_team_t;
extern const shmem_team_t SHMEM_TEAM_INVALID, SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED;
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)
#define SHMEM_TEAM_WORLD ((shmem_team_t)1)
#define SHMEM_TEAM_SHARED ((shmem_team_t)2)

typedef struct {
    int num_contexts; /* contexts the program means to have at a time */
} shmem_team_config_t;

typedef struct {
    size_t total_ops; /* operations the program means to issue in the session */
} shmem_ctx_session_config_t;

/* C++ has no _Complex; compilers have it all the same and accept it without complaint behind __extension__. */
#ifdef __GNUC__
__extension__ typedef double _Complex oshmpi_complexd;
__extension__ typedef float _Complex oshmpi_complexf;
#else
typedef double _Complex oshmpi_complexd;
typedef float _Complex oshmpi_complexf;
#endif

/* What the generic macros are built from. They look at the first argument, or at the second when the first is a context
 * or a team. A context followed by a pointer that no routine takes selects the function below, which exists nowhere and
 * takes no arguments, so that the call does not compile. */
#if OSHMPI_HAVE_GENERICS
#define OSHMPI_1ST(first, ...) first
#define OSHMPI_2ND(first, second, ...) second
void oshmpi_no_routine_for_this_type(void);
#endif

#include "routines.h" /* of spec/openshmem-1.6.api: put in here when the header is built */

#ifdef OSHMPI_INLINE
#include <oshmpi/inline.h>
#endif

#ifdef __cplusplus
}
#endif

#endif /* OSHMPI_SHMEM_H */
