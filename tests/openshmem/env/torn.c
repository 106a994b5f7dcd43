/* A process that has lost variables of its launcher is no job of its own, and says so: -i stands for all of
 * them, -c for a process between this one and the launcher. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    int later = rank && atoi(rank) > 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-i") == 0)
            clearenv();
        else if (strcmp(argv[i], "-c") == 0) {
            int status = 1;
            if (fork() > 0)
                return wait(&status) > 0 ? WEXITSTATUS(status) : 1;
        } else
            unsetenv(argv[i]);
    }
    if (later)
        return 0; /* no process knows its number, so each would say it */
    shmem_init();
    printf("PE %d of %d\n", shmem_my_pe(), shmem_n_pes());
    shmem_finalize();
    return 0;
}
