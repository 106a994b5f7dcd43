/* Every family of the C interface, called from C++ as C++ calls it: no generic macros, data in std::complex. The
 * families that shmem.hpp wraps are in the other programs of this folder too.
 * rules: 6 11 */
#include "check.h"

#include <complex>
#include <cstring>

namespace {

using Z = std::complex<double>;
using C = std::complex<float>;

Z z[8], zs[8];
C c[8];
long word, lock;
uint64_t signal_word;
long psync[SHMEM_ALLTOALLS_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE], pwork[8 + 2 * SHMEM_REDUCE_MIN_WRKDATA_SIZE];
oshmpi_complexd *native(Z *p) { return reinterpret_cast<oshmpi_complexd *>(p); }
oshmpi_complexf *native(C *p) { return reinterpret_cast<oshmpi_complexf *>(p); }

void set_up()
{
    int major, minor, level, up;
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    shmem_query_thread(&level);
    shmem_query_initialized(&up);
    CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION && !std::strcmp(name, SHMEM_VENDOR_STRING));
    CHECK(level >= SHMEM_THREAD_SINGLE && up);
    CHECK(shmem_pe_accessible(t_right()) && shmem_addr_accessible(z, t_right()));
    shmem_pcontrol(1);
    shmem_pcontrol(2, "more", 3);
}

void memory()
{
    Z *a = static_cast<Z *>(shmem_calloc(4, sizeof(Z)));
    Z *b = static_cast<Z *>(shmem_align(4096, 4 * sizeof(Z)));
    Z *d = static_cast<Z *>(shmem_malloc_with_hints(4 * sizeof(Z), SHMEM_MALLOC_ATOMICS_REMOTE));
    CHECK(a && b && d && a[3] == Z(0) && reinterpret_cast<uintptr_t>(b) % 4096 == 0);
    a[3] = Z(1, 2);
    a = static_cast<Z *>(shmem_realloc(a, 400 * sizeof(Z)));
    CHECK(a[3] == Z(1, 2));
    CHECK(shmem_ptr(a, t_me) == a && shmem_team_ptr(SHMEM_TEAM_WORLD, a, t_me) == a);
    shmem_free(d);
    shmem_free(b);
    shmem_free(a);
}

void moves()
{
    const Z mine[4] = {Z(t_me, 1), Z(t_me, 2), Z(t_me, 3), Z(t_me, 4)};
    const int right = t_right(), left = t_left();
    shmem_putmem(z, mine, sizeof mine, right);
    shmem_put128(z + 4, mine, 2, right);
    shmem_iput128(zs, mine, 2, 1, 2, right);
    shmem_ibput64(zs + 4, mine, 4, 4, 2, 2, right);
    shmem_barrier_all();
    CHECK(z[3] == Z(left, 4) && z[5] == Z(left, 2));
    CHECK(zs[2] == Z(left, 2) && zs[4] == Z(left, 1) && zs[6] == Z(left, 3));
    Z got[4];
    shmem_getmem(got, z, sizeof got, right);
    CHECK(got[0] == Z(t_me, 1));
    shmem_iget128(got, zs, 1, 2, 2, right);
    shmem_quiet();
    CHECK(got[1] == Z(t_me, 2));
    shmem_barrier_all();
    shmem_ctx_t ctx;
    CHECK_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx), 0);
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
    shmem_ctx_putmem_nbi(ctx, z, mine + 2, sizeof(Z), right);
    shmem_ctx_fence(ctx);
    shmem_ctx_quiet(ctx);
    shmem_ctx_session_stop(ctx);
    shmem_ctx_destroy(ctx);
    shmem_putmem_signal(z + 1, mine + 3, sizeof(Z), &signal_word, 1, SHMEM_SIGNAL_ADD, right);
    CHECK_EQ(shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1), 1);
    CHECK(z[1] == Z(left, 4));
    shmem_barrier_all();
    CHECK(z[0] == Z(left, 3));
}

void words()
{
    shmem_long_atomic_inc(&word, 0);
    shmem_long_inc(&word, 0); /* an old name */
    shmem_barrier_all();      /* what is read below is written back: nobody may add in between */
    shmem_set_lock(&lock);
    shmem_long_p(&word, shmem_long_g(&word, 0), 0);
    shmem_clear_lock(&lock);
    shmem_barrier_all();
    if (t_me == 0) {
        shmem_long_wait_until(&word, SHMEM_CMP_GE, 1);
        CHECK(shmem_long_test(&word, SHMEM_CMP_LE, 2 * t_npes));
    }
    const int pe = t_right();
    shmem_pe_quiet(&pe, 1);
}

void collectives()
{
    for (Z &x : zs)
        x = Z(t_me, 1);
    for (C &x : c)
        x = C(1, float(t_me));
    shmem_sync_all();
    CHECK_EQ(shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, native(z), native(zs), 8), 0);
    CHECK(z[7] == Z(t_npes * (t_npes - 1) / 2, t_npes));
    shmem_barrier_all();
    CHECK_EQ(shmem_complexd_sum_exscan(SHMEM_TEAM_WORLD, native(z), native(zs), 8), 0);
    CHECK(z[0] == Z(t_me * (t_me - 1) / 2, t_me));
    shmem_barrier_all();
    C product = 1, sum = 0;
    for (int pe = 0; pe < t_npes; pe++) {
        product *= C(1, float(pe));
        sum += pe > t_me ? C(0) : C(1, float(pe));
    }
    CHECK_EQ(shmem_complexf_prod_reduce(SHMEM_TEAM_WORLD, native(c), native(c + 7), 1), 0);
    CHECK(c[0] == product);
    CHECK_EQ(shmem_complexf_sum_inscan(SHMEM_TEAM_WORLD, native(c), native(c + 7), 1), 0);
    CHECK(c[0] == sum);
    shmem_barrier_all();
    CHECK_EQ(shmem_broadcastmem(SHMEM_TEAM_WORLD, z, zs, sizeof z, t_npes - 1), 0);
    CHECK(z[5] == Z(t_npes - 1, 1));
    shmem_barrier_all();
    CHECK_EQ(shmem_team_sync(SHMEM_TEAM_WORLD), 0);

    /* Active sets. */
    for (long &s : psync)
        s = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    shmem_sync(0, 0, t_npes, psync);
    shmem_complexd_sum_to_all(native(z), native(zs), 2, 0, 0, t_npes,
                              reinterpret_cast<oshmpi_complexd *>(pwork), psync);
    CHECK(z[1] == Z(t_npes * (t_npes - 1) / 2, t_npes));
    shmem_barrier(0, 0, t_npes, psync);
    shmem_broadcast64(z, zs, 2, 0, 0, 0, t_npes, psync);
    CHECK(t_me == 0 || z[0] == Z(0, 1));
    shmem_barrier_all();
}

void teams()
{
    shmem_team_t half;
    shmem_team_config_t config = {};
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes / 2, &config, SHMEM_TEAM_NUM_CONTEXTS, &half), 0);
    CHECK((half != SHMEM_TEAM_INVALID) == (t_me < t_npes / 2));
    if (half != SHMEM_TEAM_INVALID) {
        CHECK_EQ(shmem_team_get_config(half, SHMEM_TEAM_NUM_CONTEXTS, &config), 0);
        CHECK_EQ(shmem_team_translate_pe(half, shmem_team_my_pe(half), SHMEM_TEAM_WORLD), t_me);
        CHECK_EQ(shmem_fcollectmem(half, c, c + 7, sizeof(C)), 0);
        CHECK(c[0] == C(1, 0));
        shmem_team_destroy(half);
    }
    shmem_barrier_all();
}

} // namespace

int main()
{
    t_init();
    set_up();
    memory();
    moves();
    words();
    collectives();
    teams();
    return t_done();
}
