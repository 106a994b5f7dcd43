/* One misuse of signals per run, named by the argument, by the last PE alone: the job must end with one line.
 * rules: U3 U4 U7 U8 U11 U12 U13 U16 U51 51 53 55 */
#include "cases.h"

static long data[8], here[8];
static uint64_t sig, word;

MISUSE(op, "oshmpi[1]: shmem_long_put_signal: sig_op 2 ") { shmem_long_put_signal(data, here, 1, &sig, 1, 2, 0); }
MISUSE(op_nbi, "shmem_putmem_signal_nbi: sig_op -1 ") { shmem_putmem_signal_nbi(data, here, 1, &sig, 1, -1, 0); }
MISUSE(op_empty, "shmem_ctx_put64_signal: sig_op 7 ")
    { shmem_ctx_put64_signal(SHMEM_CTX_DEFAULT, data, here, 0, &sig, 1, 7, 0); }
MISUSE(overlap, "shmem_long_put_signal: dest 0x", "sig_addr 0x", "overlap")
{
    shmem_long_put_signal(data, here, 8, (uint64_t *)(void *)(data + 7), 1, SHMEM_SIGNAL_SET, 0);
}
MISUSE(overlap_tail, "shmem_putmem_signal: dest 0x", "overlap")
{
    shmem_putmem_signal((char *)data + 15, here, 1, (uint64_t *)(void *)(data + 1), 1, SHMEM_SIGNAL_SET, 0);
}
MISUSE(sym_signal, "shmem_long_put_signal: sig_addr 0x")
{
    uint64_t on_stack = 0;
    shmem_long_put_signal(data, here, 1, &on_stack, 1, SHMEM_SIGNAL_SET, 0);
}
MISUSE(sym_dest, "shmem_long_put_signal: dest 0x")
{
    long on_stack[2];
    shmem_long_put_signal(on_stack, here, 1, &sig, 1, SHMEM_SIGNAL_SET, 0);
}
MISUSE(sym_add, "shmem_signal_add: sig_addr 0x") { shmem_signal_add(malloc(8), 1, 0); }
MISUSE(sym_fetch, "shmem_signal_fetch: sig_addr 0x")
{
    uint64_t on_stack = 0;
    shmem_signal_fetch(&on_stack);
}
MISUSE(sym_wait, "shmem_signal_wait_until: sig_addr 0x")
{
    uint64_t on_stack = 0;
    shmem_signal_wait_until(&on_stack, SHMEM_CMP_EQ, 0);
}
MISUSE(null_source, "shmem_long_put_signal: source is null")
    { shmem_long_put_signal(data, NULL, 1, &sig, 1, SHMEM_SIGNAL_SET, 0); }
MISUSE(null_signal, "shmem_signal_set: sig_addr is null") { shmem_signal_set(NULL, 1, 0); }
MISUSE(odd_signal, "shmem_signal_set: sig_addr 0x", "aligned")
    { shmem_signal_set((uint64_t *)(void *)((char *)data + 4), 1, 0); }
MISUSE(pe, "shmem_long_put_signal: pe 2 is out of range 0..1")
    { shmem_long_put_signal(data, here, 1, &sig, 1, SHMEM_SIGNAL_SET, t_npes); }
MISUSE(pe_add, "shmem_signal_add: pe -1 is out of range 0..1") { shmem_signal_add(&sig, 1, -1); }
MISUSE(cmp, "shmem_signal_wait_until: cmp 6 ") { shmem_signal_wait_until(&word, 6, 0); }
MISUSE(ctx, "shmem_ctx_signal_add: ctx ") { shmem_ctx_signal_add(SHMEM_CTX_INVALID, &sig, 1, 0); }

int main(int argc, char **argv)
{
    t_init();
    return t_misuse(argc > 1 ? argv[1] : "");
}
