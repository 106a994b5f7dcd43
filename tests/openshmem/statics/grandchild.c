/* A child that forks: its child has what the child had, not what the PE has, and neither loses memory that it has
 * mapped meanwhile.
 * rules: 29 269 */
#include "check.h"

#include <sys/mman.h>
#include <sys/wait.h>

static long role;
static char big[1 << 20];

/* Generation 1 is the PE's child. */
static int generation(int n)
{
    enum { PIECES = 64, LENGTH = 64 << 10 };
    char *mapped[PIECES];
    int status = 0, bad = role != n - 1 || big[12345] != 'a' + n - 1;
    role = n;
    memset(big, 'a' + n, sizeof big);
    for (int i = 0; i < PIECES; i++) {
        mapped[i] = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(mapped[i], 'm', LENGTH);
    }
    for (int again = 0; again < 2 && n < 4; again++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(generation(n + 1));
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
            bad = 1;
    }
    for (int i = 0; i < PIECES; i++)
        for (int at = 0; at < LENGTH; at += 4096)
            bad |= mapped[i][at] != 'm';
    return bad || role != n || big[777] != 'a' + n;
}

int main(void)
{
    int status = -1;
    pid_t pid;
    t_init();
    memset(big, 'a', sizeof big);
    shmem_barrier_all();
    pid = fork();
    if (pid == 0)
        _exit(generation(1));
    shmem_barrier_all(); /* everybody has its child */
    /* The PE's own go on changing: by peers, too. */
    shmem_long_p(&role, 77, t_right());
    memset(big, 'z', sizeof big);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    shmem_barrier_all();
    CHECK_EQ(role, 77);
    CHECK_FILL(big, 'z', sizeof big);
    return t_done();
}
