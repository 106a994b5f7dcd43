/* Quiet completes at all targets and for all PEs to see: PE 0 puts to everybody, quiets, and tells one PE, which then
 * looks at all others. With heap and statics, puts, p, strided puts, nbi and AMOs; by quiet and by pe_quiet of all.
 * shmem_quiet, shmem_ctx_quiet, shmem_pe_quiet, shmem_ctx_pe_quiet, shmem_fence, shmem_ctx_fence
 * rules: 46 134 141 152 246 247 248 251 252 */
#include "check.h"

enum { N = 200, ROUNDS = 400 };
static long in_static[N + 8], flag, ack;

int main(void)
{
    long *in_heap, *source;
    int *everybody;
    t_init();
    in_heap = shmem_calloc(N + 8, sizeof *in_heap);
    source = malloc(N * sizeof *source);
    everybody = malloc((size_t)t_npes * 2 * sizeof *everybody);
    for (int i = 0; i < 2 * t_npes; i++)
        everybody[i] = i % t_npes;
    /* idle: nothing outstanding, any number of times, on no context too */
    for (int i = 0; i < 100000; i++) {
        shmem_quiet();
        shmem_fence();
    }
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_pe_quiet(everybody, (size_t)t_npes);
    shmem_pe_quiet(NULL, 0);
    shmem_pe_quiet(everybody, 0);

    for (long r = 1; r <= ROUNDS; r++) {
        long *in = r & 1 ? in_heap : in_static;
        int reader = (int)(r % t_npes);
        if (t_me == 0) {
            for (int i = 0; i < N; i++)
                source[i] = r * 1000 + i;
            for (int pe = 0; pe < t_npes; pe++) {
                shmem_long_put(in, source, 50, pe);
                shmem_long_put_nbi(in + 50, source + 50, 100, pe);
                shmem_long_iput(in + 150, source + 150, 2, 2, (N - 150) / 2, pe);
                shmem_long_iput(in + 151, source + 151, 2, 2, (N - 150) / 2, pe);
                shmem_long_p(&in[N], r, pe);
                shmem_long_atomic_set(&in[N + 1], r, pe);
                shmem_long_atomic_inc(&in[N + 2], pe);
            }
            switch (r % 4) {
            case 0: shmem_quiet(); break;
            case 1: shmem_ctx_quiet(SHMEM_CTX_DEFAULT); break;
            case 2: shmem_pe_quiet(everybody, (size_t)t_npes * 2); break;
            case 3: shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, everybody, (size_t)t_npes); break;
            }
            shmem_long_atomic_set(&flag, r, reader);
        }
        if (t_me == reader) {
            t_wait(&flag, r);
            for (int pe = 0; pe < t_npes; pe++) {
                long got[N];
                shmem_long_get(got, in, N, pe);
                CHECK_EACH(N, got[i], r * 1000 + i);
                CHECK_EQ(shmem_long_g(&in[N], pe), r);
                CHECK_EQ(shmem_long_atomic_fetch(&in[N + 1], pe), r);
                CHECK_EQ(shmem_long_atomic_fetch(&in[N + 2], pe), (r + 1) / 2);
            }
            shmem_long_atomic_set(&ack, r, 0);
        }
        if (t_me == 0)
            t_wait(&ack, r); /* the reader is done; the next round may write */
    }
    shmem_barrier_all();
    return t_done();
}
