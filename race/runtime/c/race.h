/* Included before each C and C++ file that `oshcc -oshmpi-race` or `oshc++ -oshmpi-race` compiles. The compiler's own
 * code in place of a call of the C library is not instrumented, so these stay calls. */

/* The headers would make other functions of them. */
#undef _FORTIFY_SOURCE

/* With the option -fno-builtin-NAME gcc leaves a call of NAME alone, but not one of __builtin_NAME, as libstdc++ has
 * them. clang needs neither. */
#if defined __GNUC__ && !defined __clang__ && !defined __ASSEMBLER__

#ifdef __cplusplus
#define OSHMPI_RACE_CALL(type, name, parameters) \
    extern "C" type oshmpi_race_##name parameters __asm__(#name) __attribute__((__nothrow__));
#if __cplusplus >= 201103L
static inline __attribute__((__always_inline__)) constexpr bool oshmpi_race_is_constant()
{
    return __builtin_is_constant_evaluated();
}
#define OSHMPI_RACE_IS_CONSTANT(value) oshmpi_race_is_constant()
#else
#define OSHMPI_RACE_IS_CONSTANT(value) 0
#endif
#else
#define OSHMPI_RACE_CALL(type, name, parameters) \
    extern type oshmpi_race_##name parameters __asm__(#name) __attribute__((__nothrow__));
#define OSHMPI_RACE_IS_CONSTANT(value) __builtin_constant_p(value)
#endif

OSHMPI_RACE_CALL(void *, memcpy, (void *, const void *, __SIZE_TYPE__))
OSHMPI_RACE_CALL(void *, memmove, (void *, const void *, __SIZE_TYPE__))
OSHMPI_RACE_CALL(void *, memset, (void *, int, __SIZE_TYPE__))
OSHMPI_RACE_CALL(int, memcmp, (const void *, const void *, __SIZE_TYPE__))
OSHMPI_RACE_CALL(__SIZE_TYPE__, strlen, (const char *))
OSHMPI_RACE_CALL(int, strcmp, (const char *, const char *))

/* A constant stays one. */
#define OSHMPI_RACE_EITHER(name, ...)                                                     \
    (OSHMPI_RACE_IS_CONSTANT(__builtin_##name(__VA_ARGS__)) ? __builtin_##name(__VA_ARGS__) \
                                                            : oshmpi_race_##name(__VA_ARGS__))
#define __builtin_memcpy(...) OSHMPI_RACE_EITHER(memcpy, __VA_ARGS__)
#define __builtin_memmove(...) OSHMPI_RACE_EITHER(memmove, __VA_ARGS__)
#define __builtin_memset(...) OSHMPI_RACE_EITHER(memset, __VA_ARGS__)
#define __builtin_memcmp(...) OSHMPI_RACE_EITHER(memcmp, __VA_ARGS__)
#define __builtin_strlen(...) OSHMPI_RACE_EITHER(strlen, __VA_ARGS__)
#define __builtin_strcmp(...) OSHMPI_RACE_EITHER(strcmp, __VA_ARGS__)

#endif
