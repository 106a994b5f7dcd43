/* One misuse of signals per run, named by the argument, by the last PE alone: the job must end with one line.
 * rules: U3 U4 U7 U8 U11 U12 U13 U16 U51 51 53 55 */
#include "check.h"

static long data[8], here[8];
static uint64_t sig, word;

static void op(void) { shmem_long_put_signal(data, here, 1, &sig, 1, 2, 0); }
static void op_nbi(void) { shmem_putmem_signal_nbi(data, here, 1, &sig, 1, -1, 0); }
static void op_empty(void) { shmem_ctx_put64_signal(SHMEM_CTX_DEFAULT, data, here, 0, &sig, 1, 7, 0); }
static void overlap(void)
{
    shmem_long_put_signal(data, here, 8, (uint64_t *)(void *)(data + 7), 1, SHMEM_SIGNAL_SET, 0);
}
static void overlap_tail(void)
{
    shmem_putmem_signal((char *)data + 15, here, 1, (uint64_t *)(void *)(data + 1), 1, SHMEM_SIGNAL_SET, 0);
}
static void sym_signal(void)
{
    uint64_t on_stack = 0;
    shmem_long_put_signal(data, here, 1, &on_stack, 1, SHMEM_SIGNAL_SET, 0);
}
static void sym_dest(void)
{
    long on_stack[2];
    shmem_long_put_signal(on_stack, here, 1, &sig, 1, SHMEM_SIGNAL_SET, 0);
}
static void sym_add(void) { shmem_signal_add(malloc(8), 1, 0); }
static void sym_fetch(void)
{
    uint64_t on_stack = 0;
    shmem_signal_fetch(&on_stack);
}
static void sym_wait(void)
{
    uint64_t on_stack = 0;
    shmem_signal_wait_until(&on_stack, SHMEM_CMP_EQ, 0);
}
static void null_source(void) { shmem_long_put_signal(data, NULL, 1, &sig, 1, SHMEM_SIGNAL_SET, 0); }
static void null_signal(void) { shmem_signal_set(NULL, 1, 0); }
static void odd_signal(void) { shmem_signal_set((uint64_t *)(void *)((char *)data + 4), 1, 0); }
static void pe(void) { shmem_long_put_signal(data, here, 1, &sig, 1, SHMEM_SIGNAL_SET, t_npes); }
static void pe_add(void) { shmem_signal_add(&sig, 1, -1); }
static void cmp(void) { shmem_signal_wait_until(&word, 6, 0); }
static void ctx(void) { shmem_ctx_signal_add(SHMEM_CTX_INVALID, &sig, 1, 0); }

static const struct {
    const char *name;
    void (*act)(void);
} inside[] = {
#define CASE(name) {#name, name}
    CASE(op),        CASE(op_nbi),   CASE(op_empty),    CASE(overlap),     CASE(overlap_tail), CASE(sym_signal),
    CASE(sym_dest),  CASE(sym_add),  CASE(sym_fetch),   CASE(sym_wait),    CASE(null_source),  CASE(null_signal),
    CASE(odd_signal), CASE(pe),      CASE(pe_add),      CASE(cmp),         CASE(ctx),
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
