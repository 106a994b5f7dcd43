/* Who waits for whom: allocation calls have a barrier on exit, free has one on entry, and both complete what is on its
 * way on the default context; size 0 and null wait for nobody.
 * shmem_malloc, shmem_calloc, shmem_align, shmem_malloc_with_hints, shmem_realloc, shmem_free
 * rules: 87 88 89 90 91 97 */
#include "check.h"

enum { N = 1 << 16 };
static long late, told;

/* PE 0 comes late; whoever returns before it has not waited. */
static void enter(void)
{
    late = 0;
    shmem_barrier_all();
    if (t_me == 0) {
        usleep(30000);
        for (int pe = 0; pe < t_npes; pe++)
            shmem_long_p(&late, 1, pe);
        shmem_quiet();
    }
}

static void leave(const char *what)
{
    t_what = what;
    CHECK_EQ(*(volatile long *)&late, 1);
    t_what = "";
    shmem_barrier_all();
}

/* realloc moves nothing before all have come: what the last PE puts into the old block, while PE 0 waits in the
 * call, is in the new one. */
static void put_before_realloc(void)
{
    long *old = t_malloc(N), *wall = t_malloc(64), *now; /* the wall keeps the block from growing in place */
    old[7] = 0;
    shmem_barrier_all();
    if (t_me == t_npes - 1) {
        usleep(30000);
        shmem_long_p(&old[7], 77, 0);
    }
    now = shmem_realloc(old, 4 * N);
    CHECK(now != NULL && now != old);
    if (t_me == 0)
        CHECK_EQ(now[7], 77);
    shmem_free(wall), shmem_free(now);
}

int main(void)
{
    char *p, *q;
    long *words;
    t_init();

    enter(), p = shmem_malloc(N), leave("malloc");
    enter(), q = shmem_align(256, N), leave("align");
    enter(), shmem_free(p), leave("free");
    enter(), p = shmem_calloc(N, 1), leave("calloc");
    enter(), p = shmem_realloc(p, 4 * N), leave("realloc, larger");
    enter(), p = shmem_realloc(p, N / 2), leave("realloc, smaller");
    enter(), shmem_free(q), leave("free");
    enter(), q = shmem_malloc_with_hints(N, 0), leave("malloc_with_hints");
    enter(), p = shmem_realloc(p, 0), leave("realloc to nothing");
    CHECK_PTR(p, NULL);
    enter(), p = shmem_realloc(NULL, 77), leave("realloc of null");
    shmem_free(p), shmem_free(q);
    put_before_realloc();

    /* A failing allocation also waits, so that all know of the failure. */
    enter(), p = shmem_malloc((size_t)1 << 60), leave("malloc that fails");
    CHECK_PTR(p, NULL);

    /* What was put before free or malloc has arrived after it, AMOs too. */
    words = shmem_calloc(64, sizeof *words);
    for (int r = 1; r < 200; r++) {
        long source[32];
        for (int i = 0; i < 32; i++)
            source[i] = r + i;
        shmem_long_put_nbi(words, source, 32, t_right());
        shmem_long_atomic_inc(&words[40], t_right());
        if (r & 1)
            p = t_malloc(8);
        else
            shmem_free(p);
        CHECK_EACH(32, words[i], r + i);
        CHECK_EQ(words[40], r);
        shmem_barrier_all();
    }

    /* No barrier: the last PE waits for PE 0's word, which comes after PE 0 alone made these calls. */
    if (t_me == 0) {
        CHECK_PTR(shmem_malloc(0), NULL);
        shmem_free(NULL);
        CHECK_PTR(shmem_calloc(0, 1), NULL);
        CHECK_PTR(shmem_malloc_with_hints(0, SHMEM_MALLOC_ATOMICS_REMOTE), NULL);
        shmem_long_atomic_set(&told, 1, t_npes - 1);
    }
    if (t_me == t_npes - 1)
        t_wait(&told, 1);
    shmem_barrier_all();

    /* calloc zeroes before anybody can write: PE 0's value, put at once after its return, is still there. */
    for (int r = 0; r < 50; r++) {
        long *z;
        char *dirt = t_malloc(N);
        memset(dirt, 0xff, N);
        shmem_free(dirt);
        z = shmem_calloc(N / sizeof *z, sizeof *z);
        if (t_me == 0)
            for (int pe = 0; pe < t_npes; pe++)
                shmem_long_p(&z[r], 5, pe);
        shmem_barrier_all();
        CHECK_EQ(z[r], 5);
        z[r] = 0;
        CHECK_FILL(z, 0, N);
        shmem_free(z);
    }
    return t_done();
}
