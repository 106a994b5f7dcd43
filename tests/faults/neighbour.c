/* What another user of the same host can do to a job: neighbour UID PID... gives up root for that user, tries to read,
 * change and end each process, and prints what has succeeded. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int pid;

static void told(int has_succeeded, const char *what)
{
    if (has_succeeded)
        printf("%d: %s\n", pid, what);
}

static void files(const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, directory);
    DIR *entries = opendir(path);
    told(entries != NULL, path);
    if (entries)
        closedir(entries);
    /* Numbers can be guessed where they cannot be listed. */
    for (int fd = 0; fd < 64; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
        const int file = open(path, O_RDONLY);
        told(file >= 0, path);
        if (file >= 0)
            close(file);
    }
}

static void readable(const char *name)
{
    char path[4096], byte;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    const int file = open(path, O_RDONLY);
    told(file >= 0 && read(file, &byte, 1) >= 0, path);
}

int main(int argc, char **argv)
{
    const int uid = argc > 2 ? atoi(argv[1]) : 0;
    if (uid <= 0 || setgroups(0, NULL) || setgid((gid_t)uid) || setuid((uid_t)uid))
        return 2;
    for (int i = 2; i < argc; i++) {
        static char bytes[8];
        struct iovec here = {bytes, sizeof bytes}, there = {(void *)0x400000, sizeof bytes};
        pid = atoi(argv[i]);
        files("fd");
        readable("environ");
        readable("mem");
        readable("maps");
        told(process_vm_readv(pid, &here, 1, &there, 1, 0) >= 0 || errno != EPERM, "process_vm_readv");
        told(process_vm_writev(pid, &here, 1, &there, 1, 0) >= 0 || errno != EPERM, "process_vm_writev");
        const int handle = (int)syscall(SYS_pidfd_open, pid, 0);
        told(handle >= 0 && syscall(SYS_pidfd_getfd, handle, 3, 0) >= 0, "pidfd_getfd");
        told(kill(pid, 0) == 0, "kill");
        told(ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0, "ptrace");
    }
    puts("done");
    return 0;
}
