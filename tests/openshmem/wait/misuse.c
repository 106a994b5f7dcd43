/* One misuse of wait or test per run, named by the argument, by the last PE alone: the job must end with one line.
 * rules: U7 U8 U13 U51 U52 51 */
#include "check.h"

static long words[8];
static long here[8];
static size_t indices[8];
static int status[8];

static void cmp_wait(void) { shmem_long_wait_until(words, 6, 0); }
static void cmp_test(void) { shmem_long_test(words, -1, 0); }
static void cmp_any(void) { shmem_long_test_any(words, 2, NULL, 99, 0); }
static void cmp_all(void) { shmem_long_wait_until_all_vector(words, 2, NULL, 6, here); }
static void sym_wait(void)
{
    long on_stack = 0;
    shmem_long_wait_until(&on_stack, SHMEM_CMP_EQ, 0);
}
static void sym_test(void) { shmem_long_test(calloc(1, sizeof(long)), SHMEM_CMP_EQ, 0); }
static void sym_some(void)
{
    long on_stack[4] = {0};
    shmem_long_test_some(on_stack, 4, indices, NULL, SHMEM_CMP_EQ, 0);
}
static void sym_end(void) { shmem_long_wait_until_all(words, SIZE_MAX / 2, NULL, SHMEM_CMP_EQ, 0); }
static void null_ivar(void) { shmem_long_wait_until(NULL, SHMEM_CMP_EQ, 0); }
static void null_ivars(void) { shmem_long_test_all(NULL, 1, NULL, SHMEM_CMP_EQ, 0); }
static void null_values(void) { shmem_long_test_any_vector(words, 2, NULL, SHMEM_CMP_EQ, NULL); }
static void null_indices(void) { shmem_long_wait_until_some(words, 2, NULL, NULL, SHMEM_CMP_EQ, 0); }
static void null_old(void) { shmem_wait(NULL, 0); }
static void odd(void) { shmem_long_wait_until((long *)(void *)((char *)words + 4), SHMEM_CMP_EQ, 0); }
static void overlap_status(void) { shmem_long_test_all(words, 4, (int *)(void *)(words + 3), SHMEM_CMP_EQ, 0); }
static void overlap_indices(void) { shmem_long_test_some(words, 4, (size_t *)(words + 2), NULL, SHMEM_CMP_EQ, 0); }
static void overlap_both(void) { shmem_long_test_some(words, 4, (size_t *)(void *)(status + 2), status, SHMEM_CMP_EQ, 0); }

static const struct {
    const char *name;
    void (*act)(void);
} inside[] = {
#define CASE(name) {#name, name}
    CASE(cmp_wait),  CASE(cmp_test),   CASE(cmp_any),     CASE(cmp_all),      CASE(sym_wait), CASE(sym_test),
    CASE(sym_some),  CASE(sym_end),    CASE(null_ivar),   CASE(null_ivars),   CASE(null_values),
    CASE(null_indices), CASE(null_old), CASE(odd),        CASE(overlap_status), CASE(overlap_indices),
    CASE(overlap_both),
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    t_init();
    if (t_me == t_npes - 1)
        for (unsigned i = 0; i < sizeof inside / sizeof *inside; i++)
            if (!strcmp(inside[i].name, name)) {
                inside[i].act();
                fputs("the misuse went through\n", stderr);
                return 0;
            }
    shmem_barrier_all();
    return t_done();
}
