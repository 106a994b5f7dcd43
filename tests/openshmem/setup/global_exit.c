/* shmem_global_exit of one PE ends all at once, its status reaches the launcher, buffered output of this PE is flushed
 * (setup/no_threads: that of PEs that wait, too), and it returns nowhere, while the others (argument) are `busy`
 * computing, wait in a `barrier` or for `any` of a million words, at which one look takes a millisecond, `sleep`, all
 * call it (`all`), or are in finalize already (`finalize`). shmem_global_exit
 * rules: 66 67 68 69 70 */
#include "check.h"

static volatile long never;

int main(int argc, char **argv)
{
    const char *others = argc > 1 ? argv[1] : "barrier";
    int status = argc > 2 ? atoi(argv[2]) : 7;
    t_init();
    size_t many = (size_t)1 << 20;
    long *words = shmem_calloc(many, sizeof *words);
    CHECK(words);
    shmem_barrier_all();
    if (t_me == t_npes - 1) {
        puts("ok"); /* stays in the buffer of a pipe: global_exit has to flush it */
        usleep(100000);
        shmem_global_exit(status);
        t_fail(__FILE__, __LINE__, "global_exit returned");
    }
    if (!strcmp(others, "all"))
        shmem_global_exit(status);
    else if (!strcmp(others, "busy"))
        while (!never)
            ;
    else if (!strcmp(others, "sleep"))
        sleep(1000);
    else if (!strcmp(others, "any"))
        shmem_long_wait_until_any(words, many, NULL, SHMEM_CMP_EQ, 1);
    else if (!strcmp(others, "finalize"))
        shmem_finalize();
    else
        shmem_barrier_all();
    t_fail(__FILE__, __LINE__, "went on after global_exit");
    return 0;
}
