/* Teams, contexts and collectives from C++; std::complex reduced by the complex routines, as both are laid out alike.
 * rules: 6 11 209 212 217 218 */
#include "check.h"

#include <complex>
#include <vector>

namespace {

/* Symmetric arrays of a trivially copyable type. */
template <typename T>
class Symmetric {
public:
    explicit Symmetric(size_t n) : data_(static_cast<T *>(shmem_malloc(n * sizeof(T)))) {}
    ~Symmetric() { shmem_free(data_); }
    Symmetric(const Symmetric &) = delete;
    Symmetric &operator=(const Symmetric &) = delete;
    T *get() { return data_; }
    T &operator[](size_t i) { return data_[i]; }

private:
    T *data_;
};

constexpr size_t N = 400;

/* The C routines take pointers to _Complex, which standard C++ cannot name: the type comes from the routine. */
template <typename C>
int through(int (*routine)(shmem_team_t, C *, const C *, size_t), shmem_team_t team, void *dest, const void *source,
            size_t n)
{
    return routine(team, static_cast<C *>(dest), static_cast<const C *>(source), n);
}

template <typename T>
std::complex<T> value(size_t i, int pe)
{
    return {T(int(i + pe) % 5 - 2), T(int(i * 3 + pe) % 3 - 1)};
}

template <typename T, typename C>
void reduce(int (*sum)(shmem_team_t, C *, const C *, size_t), int (*prod)(shmem_team_t, C *, const C *, size_t),
            int (*inscan)(shmem_team_t, C *, const C *, size_t), int (*exscan)(shmem_team_t, C *, const C *, size_t))
{
    static_assert(sizeof(C) == sizeof(std::complex<T>), "_Complex and std::complex are laid out alike");
    Symmetric<std::complex<T>> source(N), dest(N);
    for (size_t n : {size_t(1), size_t(4), N}) {
        for (size_t i = 0; i < n; i++)
            source[i] = value<T>(i, t_me);
        CHECK_EQ(through(sum, SHMEM_TEAM_WORLD, dest.get(), source.get(), n), 0);
        for (size_t i = 0; i < n; i++) {
            std::complex<T> want = 0;
            for (int pe = 0; pe < t_npes; pe++)
                want += value<T>(i, pe);
            CHECK(dest[i] == want);
        }
        shmem_barrier_all();
        CHECK_EQ(through(prod, SHMEM_TEAM_WORLD, dest.get(), source.get(), n), 0);
        for (size_t i = 0; i < n; i++) {
            std::complex<T> want = 1;
            for (int pe = 0; pe < t_npes; pe++)
                want *= value<T>(i, pe);
            CHECK(dest[i] == want);
        }
        shmem_barrier_all();
        CHECK_EQ(through(inscan, SHMEM_TEAM_WORLD, dest.get(), source.get(), n), 0);
        for (size_t i = 0; i < n; i++) {
            std::complex<T> want = 0;
            for (int pe = 0; pe <= t_me; pe++)
                want += value<T>(i, pe);
            CHECK(dest[i] == want);
        }
        shmem_barrier_all();
        CHECK_EQ(through(exscan, SHMEM_TEAM_WORLD, dest.get(), source.get(), n), 0);
        for (size_t i = 0; i < n; i++) {
            std::complex<T> want = 0;
            for (int pe = 0; pe < t_me; pe++)
                want += value<T>(i, pe);
            CHECK(dest[i] == want);
        }
        shmem_barrier_all();
    }
}

/* A context that ends with its scope. */
class Context {
public:
    Context(shmem_team_t team, long options) { CHECK_EQ(shmem_team_create_ctx(team, options, &ctx_), 0); }
    ~Context() { shmem_ctx_destroy(ctx_); }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;
    operator shmem_ctx_t() const { return ctx_; }

private:
    shmem_ctx_t ctx_ = SHMEM_CTX_INVALID;
};

long table[64];
int lengths[64];

void teams()
{
    shmem_team_t row = SHMEM_TEAM_INVALID, column = SHMEM_TEAM_INVALID;
    shmem_team_config_t config = {};
    config.num_contexts = 1;
    CHECK_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, &config, SHMEM_TEAM_NUM_CONTEXTS, &row, nullptr, 0, &column), 0);
    {
        Context ctx(row, SHMEM_CTX_SERIALIZED);
        shmem_ctx_long_p(ctx, &table[0], 40 + t_me, (shmem_team_my_pe(row) + 1) % shmem_team_n_pes(row));
    }
    CHECK_EQ(shmem_team_sync(row), 0);
    const int left = (shmem_team_my_pe(row) + shmem_team_n_pes(row) - 1) % shmem_team_n_pes(row);
    CHECK_EQ(table[0], 40 + shmem_team_translate_pe(row, left, SHMEM_TEAM_WORLD));
    shmem_team_destroy(column);
    shmem_team_destroy(row);
}

void moves()
{
    static long from[64];
    static long psync[SHMEM_SYNC_SIZE];
    for (int i = 0; i < t_npes; i++)
        from[i] = 100 * t_me + i;
    for (long &s : psync)
        s = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    CHECK_EQ(shmem_long_alltoall(SHMEM_TEAM_WORLD, table, from, 1), 0);
    for (int i = 0; i < t_npes; i++)
        CHECK_EQ(table[i], 100 * i + t_me);
    CHECK_EQ(shmem_int_fcollect(SHMEM_TEAM_WORLD, lengths, &t_me, 1), 0);
    for (int i = 0; i < t_npes; i++)
        CHECK_EQ(lengths[i], i);
    shmem_sync(0, 0, t_npes, psync); /* the active-set form: C++ has no generic macros */
    shmem_broadcast64(table, from + 1, 1, 0, 0, 0, t_npes, psync);
    CHECK_EQ(table[0], t_me ? 1 : 0); /* the root's is left alone */
}

} // namespace

int main()
{
    t_init();
    reduce<double>(shmem_complexd_sum_reduce, shmem_complexd_prod_reduce, shmem_complexd_sum_inscan,
                   shmem_complexd_sum_exscan);
    reduce<float>(shmem_complexf_sum_reduce, shmem_complexf_prod_reduce, shmem_complexf_sum_inscan,
                  shmem_complexf_sum_exscan);
    teams();
    moves();
    return t_done();
}
