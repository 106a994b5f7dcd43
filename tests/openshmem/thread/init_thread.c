/* Initialisation with each thread level (argument): returns 0, tells the level in force, also to a nested init and to
 * query_thread; levels are ordered.
 * shmem_init_thread, shmem_query_thread
 * rules: 13 57 77 79 80 81 */
#include "check.h"

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
