// snippet: c++11 c++17
// A C++ program: C names only, handles in initialisers, complex reductions, null pointers.
#include <shmem.h>
#include <pshmem.h>
#include <shmemx.h>

namespace {
shmem_team_t team = SHMEM_TEAM_WORLD;
shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
long psync[SHMEM_SYNC_SIZE];

template <typename T>
T *allocate(size_t n)
{
    return static_cast<T *>(shmem_calloc(n, sizeof(T)));
}
} // namespace

int main()
{
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    auto *z = allocate<oshmpi_complexd>(2);
    shmem_complexd_sum_reduce(team, z, z + 1, 1);
    shmem_ctx_longdouble_p(ctx, allocate<long double>(1), 1.0L, 0);
    shmem_sync(0, 0, shmem_n_pes(), psync);
    shmem_team_sync(SHMEM_TEAM_SHARED);
    shmem_team_config_t config = {1};
    shmem_team_t half = SHMEM_TEAM_INVALID;
    if (shmem_team_split_strided(team, 0, 2, 1, &config, SHMEM_TEAM_NUM_CONTEXTS, &half) != 0)
        shmem_global_exit(1);
    if (shmem_team_split_strided(team, 0, 2, 1, nullptr, 0, &half) != 0 || ctx == SHMEM_CTX_INVALID)
        pshmem_global_exit(2);
    switch (provided) {
    case SHMEM_THREAD_SINGLE: break;
    default: shmem_finalize();
    }
}
