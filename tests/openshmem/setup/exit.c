/* A PE that ends without shmem_finalize after shmem_init: argument `0`, `256` or `return` by all, `3`: PE 0 exits with
 * it at once, which ends the job, `mixed`: PE 0 exits at once, the others come later, `quick`: the last does _exit(5),
 * no handler runs, the others wait in a barrier. What the PE that ends the job has printed is not lost, but what PEs of
 * other nodes still hold may be; an exit code other than 0 reaches the launcher. `twice`: initialised twice, and only
 * some finalize, once or twice. `_exit`, `exec`, `close`: after the last finalize, which follows another init, a PE may
 * end without exit handlers, become another program, or close its files.
 * rules: 65 66 69 */
#include "check.h"

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "0";
    t_init();
    shmem_barrier_all();
    if (t_me == 0)
        fputs("ok\n", stdout); /* stays in the buffer of a pipe until exit flushes it */
    if (!strcmp(how, "mixed") && t_me != 0) {
        usleep(200000);
        return 0;
    }
    if ((atoi(how) & 0xff) && t_me != 0)
        sleep(1); /* an end before that of PE 0 would be the end of PE 0 too, perhaps before it has written */
    if (!strcmp(how, "quick")) {
        fflush(stdout);
        if (t_me == t_npes - 1) {
            usleep(300000); /* the launcher has passed on the line by then */
            _exit(5);
        }
        shmem_barrier_all();
    }
    if (!strcmp(how, "twice")) {
        shmem_init();
        for (int i = 0; i < 2 - t_me % 3; i++)
            shmem_finalize();
        return 0;
    }
    if (!strcmp(how, "return"))
        return 0;
    if (strchr("_ec", *how)) {
        shmem_finalize();
        shmem_init();
        shmem_barrier_all();
        shmem_finalize();
        fflush(stdout);
        if (*how == 'c')
            for (int i = 3; i < 100; i++)
                close(i);
        if (*how == 'e')
            execlp("true", "true", (char *)NULL);
        if (*how != 'c')
            _exit(0);
    }
    exit(atoi(how)); /* of 256 the system keeps nothing: a success */
}
