/* Over a network that needs no CPU of the target: puts, gets, and atomics on memory with a hint, to a PE that computes
 * and that nobody serves (OSHMPI_PROGRESS=none), are complete before it calls the library again. A message to it would
 * have no answer. Puts and gets alone with the argument `copies`: UCX by the kernel, which has no atomics. UCX before
 * 1.16 does not tell of it, so there is nothing to do then. With T_SHOW set, PE 1 says how long each takes.
 * rules: 47 160 */
#include "check.h"

#include <dlfcn.h>

enum { LONG = 1 << 16, ROUNDS = 30 };
static char long_here[LONG], source[LONG], got[LONG];
static long short_here;
static volatile long done;

/* Whether UCX, if it is the fabric, tells that the kernel copies for it. After init the library's UCX is loaded. */
static int tells(void)
{
    const char *by = getenv("OSHMPI_TRANSPORT");
    unsigned version[3] = {0, 0, 0};
    if (!by || strcmp(by, "ucx") != 0)
        return 1;
    void *ucx = dlopen("libucp.so.0", RTLD_LAZY);
    void (*ask)(unsigned *, unsigned *, unsigned *) = NULL;
    if (ucx)
        *(void **)&ask = dlsym(ucx, "ucp_get_version");
    if (!ask)
        T_DIE("there is no UCX");
    ask(&version[0], &version[1], &version[2]);
    return version[0] > 1 || version[1] >= 16;
}

static void show(const char *what, double begun)
{
    if (getenv("T_SHOW"))
        fprintf(stderr, "%s: %.1f us\n", what, (t_now() - begun) * 1e6 / ROUNDS);
}

static void transfers(void)
{
    double begun = t_now();
    for (long i = 1; i <= ROUNDS; i++) {
        shmem_long_p(&short_here, i, 0);
        shmem_quiet();
        if (i == 1)
            CHECK_EQ(shmem_long_g(&short_here, 0), 1);
    }
    show("put of 8 bytes and quiet", begun);
    begun = t_now();
    for (int i = 1; i <= ROUNDS; i++)
        CHECK_EQ(shmem_long_g(&short_here, 0), ROUNDS);
    show("get of 8 bytes", begun);
    memset(source, 'a', LONG);
    begun = t_now();
    for (int i = 0; i < ROUNDS; i++) {
        shmem_putmem_nbi(long_here, source, LONG, 0);
        shmem_quiet();
        shmem_getmem_nbi(got, long_here, LONG, 0);
        shmem_quiet();
    }
    show("put and get of 64 KiB, each with a quiet", begun);
    CHECK_BYTES(got, source, LONG);
}

static void atomics(long *word)
{
    double begun = t_now();
    for (long i = 0; i < ROUNDS; i++) {
        CHECK_EQ(shmem_long_atomic_fetch_add(word, 2, 0), 2 * i);
        shmem_long_atomic_add(word, 1, 0);
        CHECK_EQ(shmem_long_atomic_compare_swap(word, 2 * i + 3, 2 * i + 2, 0), 2 * i + 3);
    }
    shmem_quiet();
    show("fetch-add, add and compare-and-swap", begun);
}

int main(int argc, char **argv)
{
    t_init();
    long *word = shmem_malloc_with_hints(sizeof *word, SHMEM_MALLOC_ATOMICS_REMOTE);
    CHECK(word != NULL);
    *word = 0;
    if (tells()) {
        /* PE 1 is connected when PE 0 begins to compute. */
        if (t_me == 1)
            shmem_long_p(&short_here, 0, 0);
        shmem_barrier_all();
        if (t_me == 0) {
            while (!done)
                ;
        } else if (t_me == 1) {
            transfers();
            if (argc < 2 || strcmp(argv[1], "copies") != 0)
                atomics(word);
            shmem_long_p((long *)&done, 1, 0);
            shmem_quiet();
        }
    }
    shmem_barrier_all();
    shmem_free(word);
    return t_done();
}
