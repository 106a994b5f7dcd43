/* Initialisation with each thread level (argument): returns 0, tells the level in force, also to a nested init and to
 * query_thread; levels are ordered. With a second argument the library has MPI initialised, not at MPI's lowest level.
 * shmem_init_thread, shmem_query_thread
 * rules: 13 57 77 79 80 81 */
#include "check.h"

#include <dlfcn.h>

/* The program is not linked with MPI, which the library loads. */
static int level_of_mpi(void)
{
    int (*query)(int *) = NULL, level = -1;
    void *all = dlopen(NULL, RTLD_LAZY);
    if (all)
        *(void **)&query = dlsym(all, "PMPI_Query_thread");
    return query && query(&level) == 0 ? level : -1;
}

int main(int argc, char **argv)
{
    int requested = argc > 1 ? atoi(argv[1]) : 0, provided = -1, nested = -1, level = -1, code;
    t_alarm();
    code = shmem_init_thread(requested, &provided);
    if (code != 0) {
        fprintf(stderr, "shmem_init_thread gave %d\n", code);
        return 1;
    }
    t_begin();
    CHECK(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED);
    CHECK(SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED);
    CHECK(SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE);
    CHECK_EQ(provided, requested); /* also where MPI is needed: both MPIs grant every level */
    shmem_query_thread(&level);
    CHECK_EQ(level, provided);
    CHECK(argc < 3 || level_of_mpi() > 0);
    CHECK_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &nested), 0);
    shmem_query_thread(&level);
    CHECK_EQ(level, nested);
    CHECK_EQ(nested, provided);
    shmem_barrier_all();
    shmem_finalize();
    shmem_query_thread(&level);
    CHECK_EQ(level, nested);
    return t_done();
}
