/* What programs may do and few do: read a source that a nonblocking put still uses, and put it twice; poll with
 * every kind of test while nobody else makes progress for the poller; collectives inside a session; AMOs on one word
 * through contexts of the world and of SHARED at the same time, which the standard leaves open and this library
 * keeps exact. shmem_long_put_nbi, shmem_TYPENAME_test*, shmem_signal_fetch, shmem_test_lock,
 * shmem_ctx_session_start, shmem_team_create_ctx
 * rules: 38 41 49 192 173 178 */
#include "check.h"

enum { N = 5000, ADDS = 2000 };
static long once[N], twice[N], from[N];
static long word, flags[4], lock, sum, out[4], in[4], all[64];
static uint64_t signal_;

/* A source passed as const may be read, and be the source of other operations, while it is in use. */
static void source_in_use(void)
{
    t_what = "source in use";
    for (long i = 0; i < N; i++)
        from[i] = i * 3 + t_me;
    shmem_barrier_all();
    for (int r = 0; r < 50; r++) {
        long seen = 0;
        shmem_long_put_nbi(once, from, N, t_right());
        shmem_long_put_nbi(twice, from, N, t_right());
        for (long i = 0; i < N; i++)
            seen += from[i];
        CHECK_EQ(seen, 3L * N * (N - 1) / 2 + (long)N * t_me);
        shmem_quiet();
    }
    shmem_barrier_all();
    CHECK_EACH(N, once[i], i * 3 + t_left());
    CHECK_EACH(N, twice[i], i * 3 + t_left());
}

/* Round a ring, so that all PEs but one poll at any time. Each kind of polling passes the ring once per round. */
static long polls(int kind, long round)
{
    long values[4] = {round, round, round, round};
    size_t found[4];
    switch (kind) {
    case 0: return shmem_long_test(&word, SHMEM_CMP_GE, round);
    case 1: return shmem_long_test_all(flags, 4, NULL, SHMEM_CMP_GE, round);
    case 2: return shmem_long_test_any(flags, 4, NULL, SHMEM_CMP_GE, round) < 4;
    case 3: return shmem_long_test_some(flags, 4, found, NULL, SHMEM_CMP_GE, round) > 0;
    case 4: return shmem_long_test_all_vector(flags, 4, NULL, SHMEM_CMP_GE, values);
    case 5: return shmem_long_test_any_vector(flags, 4, NULL, SHMEM_CMP_GE, values) < 4;
    case 6: return shmem_long_test_some_vector(flags, 4, found, NULL, SHMEM_CMP_GE, values) > 0;
    default: return shmem_signal_fetch(&signal_) >= (uint64_t)round;
    }
}

static void answer(long round)
{
    for (int i = 0; i < 4; i++)
        shmem_long_atomic_set(&flags[i], round, t_right());
    shmem_signal_set(&signal_, (uint64_t)round, t_right());
    shmem_long_atomic_set(&word, round, t_right());
}

static void polling(void)
{
    t_what = "polling";
    for (int kind = 0; kind < 8; kind++)
        for (long r = 1; r <= 10; r++) {
            const long round = kind * 10 + r;
            if (t_me == 0)
                answer(round);
            while (!polls(kind, round))
                ;
            if (t_me != 0)
                answer(round);
        }
    shmem_barrier_all();
    for (int r = 0; r < 20; r++) {
        while (shmem_test_lock(&lock))
            ;
        shmem_long_p(&out[0], shmem_long_g(&out[0], 0) + 1, 0);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&out[0], 0), 20L * t_npes);
}

/* A session on the default context says nothing of collectives; puts held back by nobody arrive with the barrier. */
static void in_a_session(void)
{
    shmem_ctx_session_config_t config;
    long total = (long)t_npes * (t_npes + 1) / 2;
    t_what = "session";
    config.total_ops = 3;
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
    for (int r = 0; r < 30; r++) {
        out[1] = t_me + 1;
        shmem_long_p(&all[t_me % 64], r, t_right());
        CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, in, out + 1, 1), 0);
        CHECK_EQ(in[0], total);
        out[2] = r * 7 + t_me;
        CHECK_EQ(shmem_long_broadcast(SHMEM_TEAM_WORLD, in + 1, out + 2, 1, r % t_npes), 0);
        CHECK_EQ(in[1], r * 7 + r % t_npes);
        shmem_barrier_all();
        CHECK_EQ(all[t_left() % 64], r);
        shmem_barrier_all();
    }
    shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
}

/* Two domains of atomicity, one mechanism. */
static void two_domains(void)
{
    shmem_ctx_t world, shared;
    const int there = shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_SHARED);
    t_what = "domains";
    CHECK_EQ(shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &world), 0);
    CHECK_EQ(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &shared), 0);
    for (int i = 0; i < ADDS; i++) {
        shmem_ctx_long_atomic_add(world, &sum, 1, 0);
        if (there >= 0)
            shmem_ctx_long_atomic_fetch_add(shared, &sum, 1, there);
        else
            shmem_long_atomic_inc(&sum, 0);
    }
    shmem_ctx_destroy(world);
    shmem_ctx_destroy(shared);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(&sum, 0), 2L * ADDS * t_npes);
}

int main(void)
{
    t_init();
    source_in_use();
    polling();
    in_a_session();
    two_domains();
    return t_done();
}
