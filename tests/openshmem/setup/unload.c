/* A program that is not linked with the library loads it and unloads it after finalize. The handlers that the library
 * has registered for the end of the process and for forks are there when they are called. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *library;

static void *routine(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

int main(void)
{
    int me, status = -1;
    if (dlopen("liboshmpi.so", RTLD_NOW | RTLD_NOLOAD)) {
        fputs("the program is linked with the library\n", stderr);
        return 1;
    }
    library = dlopen("liboshmpi.so", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    ((void (*)(void))routine("shmem_init"))();
    me = ((int (*)(void))routine("shmem_my_pe"))();
    ((void (*)(void))routine("shmem_finalize"))();
    if (dlclose(library) != 0) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (fork() == 0)
        exit(0); /* not by _exit, which the library has: the linker would take it from there */
    wait(&status);
    if (status != 0) {
        fprintf(stderr, "PE %d: a child ended with status %d\n", me, status);
        return 1;
    }
    if (me == 0)
        puts("ok");
    return 0;
}
