/* Counts the calls by which a process sends over IP, and its connections, phase by phase. To be preloaded:
 *
 *     mpicc -shared -fPIC -O2 -o libnet_count.so net_count.c -ldl
 *     mpiexec -n 4 env LD_PRELOAD=$PWD/libnet_count.so NET_FILE=/tmp/new-file ./net
 *
 * The processes of the job have to be on one machine: they wait for each other by the file, so that no message of
 * that is counted. A program names its phases by net_phase. At its end each process prints a line for each phase: its
 * number, the phase, the calls that have sent, those that have sent within MPI's own set-up (MPI_Init, MPI_Win_create
 * and the like), how many calls of that kind there were, and what the process has at the end of the phase: connections,
 * private KiB. Those to the launcher do not count. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

extern char **environ;

/* The C library's own function of this name. */
#define REAL(name)                                        \
    static __typeof__(&name) real;                        \
    if (!real)                                            \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

enum { PHASES = 64, CALM_US = 25000 /* longer than a progress thread sleeps */ };
static struct {
    const char *name;
    unsigned long long sends, sends_of_setup, setups;
    int connections, kib;
} phases[PHASES] = {{.name = "start"}};
static int phase;
static atomic_ullong sends, sends_of_setup, setups;
static _Thread_local int in_setup;

/* In NET_FILE: what all processes of the job have done. */
static struct {
    atomic_int came;
    atomic_ullong sends;
} *all;

/* Whether the launcher has told this port: PMI_PORT=HOST:PORT, PMIX_SERVER_URI=NAME;tcp4://HOST:PORT. */
static int is_launchers(int port)
{
    static int known = -1;
    char text[16];
    if (port == known)
        return 1;
    int length = snprintf(text, sizeof text, ":%d", port);
    for (char **one = environ; *one; one++)
        if (strncmp(*one, "PMI", 3) == 0)
            for (const char *at = *one; (at = strstr(at, text)); at++)
                if (at[length] < '0' || at[length] > '9') {
                    known = port;
                    return 1;
                }
    return 0;
}

/* Whether a socket is connected with a process of another node, or one that is as on another node. */
static int leads_away(int fd)
{
    struct sockaddr_in6 peer;
    socklen_t length = sizeof peer;
    return getpeername(fd, (struct sockaddr *)&peer, &length) == 0 &&
           (peer.sin6_family == AF_INET || peer.sin6_family == AF_INET6) &&
           !is_launchers(ntohs(peer.sin6_port)); /* at the same place in both kinds of address */
}

static ssize_t count(int fd, ssize_t sent)
{
    if (sent <= 0 || !leads_away(fd))
        return sent;
    atomic_fetch_add(&all->sends, 1);
    atomic_fetch_add(in_setup ? &sends_of_setup : &sends, 1);
    return sent;
}

#define COUNTED(name, PARAMS, ARGS)  \
    ssize_t name PARAMS              \
    {                                \
        REAL(name);                  \
        return count(fd, real ARGS); \
    }
COUNTED(send, (int fd, const void *bytes, size_t length, int flags), (fd, bytes, length, flags))
COUNTED(sendto, (int fd, const void *bytes, size_t length, int flags, __CONST_SOCKADDR_ARG to, socklen_t n),
        (fd, bytes, length, flags, to, n))
COUNTED(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
COUNTED(write, (int fd, const void *bytes, size_t length), (fd, bytes, length))
COUNTED(writev, (int fd, const struct iovec *parts, int n), (fd, parts, n))

#define SETUP(name, PARAMS, ARGS)     \
    int name PARAMS                   \
    {                                 \
        REAL(name);                   \
        atomic_fetch_add(&setups, 1); \
        in_setup++;                   \
        int code = real ARGS;         \
        in_setup--;                   \
        return code;                  \
    }
SETUP(PMPI_Init_thread, (int *argc, char ***argv, int wanted, int *level), (argc, argv, wanted, level))
SETUP(PMPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
SETUP(PMPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
SETUP(PMPI_Comm_free, (MPI_Comm *comm), (comm))
#define WINDOW MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm
SETUP(PMPI_Win_create, (void *base, WINDOW, MPI_Win *made), (base, size, unit, info, comm, made))
SETUP(PMPI_Win_allocate, (WINDOW, void *base, MPI_Win *made), (size, unit, info, comm, base, made))
SETUP(PMPI_Win_free, (MPI_Win *win), (win))
SETUP(PMPI_Finalize, (void), ())

static const char *or_else(const char *name, const char *other)
{
    const char *value = getenv(name);
    return value ? value : getenv(other);
}

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("NET_FILE");
    int file = name ? open(name, O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *all) != 0 ||
        (all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) == MAP_FAILED) {
        perror("net_count: NET_FILE");
        abort();
    }
    close(file);
}

/* Returns when all processes of the job have called it as often as this one. */
static void gather(void)
{
    static int times;
    const char *size = or_else("PMI_SIZE", "OMPI_COMM_WORLD_SIZE");
    atomic_fetch_add(&all->came, 1);
    for (times++; size && atomic_load(&all->came) < times * atoi(size);)
        usleep(500);
}

/* Returns when nobody has sent for a while. */
static void calm(void)
{
    for (unsigned long long now = atomic_load(&all->sends), before = now + 1; now != before;) {
        usleep(CALM_US);
        before = now;
        now = atomic_load(&all->sends);
    }
}

static int connections(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    for (struct dirent *one; dir && (one = readdir(dir));)
        count += leads_away(atoi(one->d_name));
    closedir(dir);
    return count;
}

static int private_kib(void)
{
    char line[200];
    int sum = 0, kib;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Clean: %d", &kib) == 1 || sscanf(line, "Private_Dirty: %d", &kib) == 1)
            sum += kib;
    if (file)
        fclose(file);
    return sum;
}

static void end_phase(void)
{
    phases[phase].sends = atomic_exchange(&sends, 0);
    phases[phase].sends_of_setup = atomic_exchange(&sends_of_setup, 0);
    phases[phase].setups = atomic_exchange(&setups, 0);
    phases[phase].connections = connections();
    phases[phase].kib = private_kib();
}

/* Begins a phase of this name, when all processes have ended the one before, and what they have caused is over. */
void net_phase(const char *name)
{
    gather();
    calm();
    end_phase();
    phases[++phase].name = name;
    gather();
}

__attribute__((destructor)) static void print(void)
{
    char text[PHASES * 80];
    int length = 0;
    if (phase == 0)
        return; /* no program with phases */
    end_phase();
    for (int p = 0; p <= phase; p++)
        length += snprintf(text + length, sizeof text - (size_t)length, "PE %s: %s: %llu %llu %llu %d %d\n",
                           or_else("PMI_RANK", "OMPI_COMM_WORLD_RANK"), phases[p].name, phases[p].sends,
                           phases[p].sends_of_setup, phases[p].setups, phases[p].connections, phases[p].kib);
    fputs(text, stdout);
    fflush(stdout);
}
