/* A child has its own copy of the statics: what it writes is not seen by the parent nor by peers, what it read before
 * fork is there, and what peers put into the parent goes to the parent. system() and popen() work, before, between and
 * after communication.
 * rules: 29 269 */
#include "check.h"

#include <sys/mman.h>
#include <sys/wait.h>

static long counter = 1, arrived;
static char big[1 << 20];

static void child(int from_parent, int to_parent)
{
    char c;
    int bad = 0;
    bad |= counter != 100;
    bad |= big[12345] != 'p';
    for (long i = 0; i < 1000; i++)
        counter++;
    memset(big, 'c', sizeof big);
    if (write(to_parent, "w", 1) != 1 || read(from_parent, &c, 1) != 1)
        bad = 1;
    /* Peers have written into the parent in between; the child's copy is its own. */
    bad |= counter != 1100 || arrived != 0 || big[12345] != 'c';
    _exit(bad);
}

int main(void)
{
    int down[2], up[2], status = -1;
    char c, line[100] = "";
    pid_t pid;
    FILE *pipe_in;
    t_init();
    CHECK_EQ(system("true"), 0);
    counter = 100;
    memset(big, 'p', sizeof big);
    shmem_barrier_all();
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        child(down[0], up[1]);
    CHECK(pid > 0);
    CHECK_EQ(read(up[0], &c, 1), 1);
    CHECK_EQ(counter, 100);
    CHECK_FILL(big, 'p', sizeof big);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&counter, t_right()), 100);
    CHECK_EQ(shmem_char_g(&big[777], t_right()), 'p');
    shmem_long_atomic_add(&arrived, 6, t_right());
    shmem_barrier_all();
    CHECK_EQ(arrived, 6);
    counter = 5000;
    CHECK_EQ(write(down[1], "g", 1), 1);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    CHECK_EQ(counter, 5000);

    pipe_in = popen("echo from a shell", "r");
    CHECK(pipe_in && fgets(line, sizeof line, pipe_in));
    CHECK(strcmp(line, "from a shell\n") == 0);
    CHECK_EQ(pipe_in ? pclose(pipe_in) : -1, 0);
    CHECK_EQ(system("exit 7") >> 8, 7);

    shmem_barrier_all(); /* all have compared arrived */

    /* many short children while neighbours write here */
    for (int r = 0; r < 20; r++) {
        pid = fork();
        if (pid == 0) {
            counter = -1;
            _exit(arrived >= 6 ? 0 : 1);
        }
        shmem_long_atomic_inc(&arrived, t_right());
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
        CHECK_EQ(counter, 5000);
    }
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch(&arrived, t_me), 26);
    CHECK_EQ(shmem_long_g(&counter, t_right()), 5000);
    shmem_barrier_all();
    return t_done();
}
