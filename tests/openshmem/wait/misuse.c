/* One misuse of wait or test per run, named by the argument, by the last PE alone: the job must end with one line.
 * rules: U7 U8 U13 U51 U52 51 */
#include "cases.h"

static long words[8];
static long here[8];
static size_t indices[8];
static int status[8];

MISUSE(cmp_wait, "oshmpi[1]: shmem_long_wait_until: cmp 6 ") { shmem_long_wait_until(words, 6, 0); }
MISUSE(cmp_test, "shmem_long_test: cmp -1 ") { shmem_long_test(words, -1, 0); }
MISUSE(cmp_any, "shmem_long_test_any: cmp 99 ") { shmem_long_test_any(words, 2, NULL, 99, 0); }
MISUSE(cmp_all, "shmem_long_wait_until_all_vector: cmp 6 ")
    { shmem_long_wait_until_all_vector(words, 2, NULL, 6, here); }
MISUSE(sym_wait, "shmem_long_wait_until: ivar 0x")
{
    long on_stack = 0;
    shmem_long_wait_until(&on_stack, SHMEM_CMP_EQ, 0);
}
MISUSE(sym_test, "shmem_long_test: ivar 0x") { shmem_long_test(calloc(1, sizeof(long)), SHMEM_CMP_EQ, 0); }
MISUSE(sym_some, "shmem_long_test_some: ivars 0x")
{
    long on_stack[4] = {0};
    shmem_long_test_some(on_stack, 4, indices, NULL, SHMEM_CMP_EQ, 0);
}
MISUSE(sym_end, "shmem_long_wait_until_all: ivars 0x", "runs past the end")
    { shmem_long_wait_until_all(words, SIZE_MAX / 2, NULL, SHMEM_CMP_EQ, 0); }
MISUSE(null_ivar, "shmem_long_wait_until: ivar is null") { shmem_long_wait_until(NULL, SHMEM_CMP_EQ, 0); }
MISUSE(null_ivars, "shmem_long_test_all: ivars is null") { shmem_long_test_all(NULL, 1, NULL, SHMEM_CMP_EQ, 0); }
MISUSE(null_values, "shmem_long_test_any_vector: cmp_values is null")
    { shmem_long_test_any_vector(words, 2, NULL, SHMEM_CMP_EQ, NULL); }
MISUSE(null_indices, "shmem_long_wait_until_some: indices is null")
    { shmem_long_wait_until_some(words, 2, NULL, NULL, SHMEM_CMP_EQ, 0); }
MISUSE(null_old, "shmem_wait: ivar is null") { shmem_wait(NULL, 0); }
MISUSE(odd, "shmem_long_wait_until: ivar 0x", "aligned")
    { shmem_long_wait_until((long *)(void *)((char *)words + 4), SHMEM_CMP_EQ, 0); }
MISUSE(overlap_status, "shmem_long_test_all: ", "overlap")
    { shmem_long_test_all(words, 4, (int *)(void *)(words + 3), SHMEM_CMP_EQ, 0); }
MISUSE(overlap_indices, "shmem_long_test_some: ", "overlap")
    { shmem_long_test_some(words, 4, (size_t *)(words + 2), NULL, SHMEM_CMP_EQ, 0); }
MISUSE(overlap_both, "shmem_long_test_some: ", "indices", "status")
    { shmem_long_test_some(words, 4, (size_t *)(void *)(status + 2), status, SHMEM_CMP_EQ, 0); }

int main(int argc, char **argv)
{
    t_init();
    return t_misuse(argc > 1 ? argv[1] : "");
}
