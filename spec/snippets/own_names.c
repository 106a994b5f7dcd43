/* snippet: c99 c11 c17 */
/* The header works behind macros that a program has defined before, and takes no names that are the program's. */
#define put program_put
#define get program_get
#define uint program_uint
#define size program_size
#define first program_first
#define second program_second
#define before program_before
#define after program_after
#define schar program_schar
#include <shmem.h>
#undef put
#undef size

typedef struct { int rank; } MPI_Comm;
enum { SUCCESS, put, size };

MPI_Comm mine(int x)
{
    static unsigned int word;
    static size_t count;
    shmem_uint_put(&word, &word, 1, x);
    shmem_size_put(&count, &count, 1, x);
#if __STDC_VERSION__ >= 201112L
    shmem_put(&word, &word, 1, x);
    shmem_put(SHMEM_CTX_DEFAULT, &count, &count, 1, x);
#endif
    MPI_Comm c = {x + put + size + SUCCESS};
    return c;
}
