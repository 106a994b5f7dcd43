/* Who am I: numbers, names, versions, accessibility of PEs and addresses, before, inside and after init.
 * shmem_my_pe, shmem_n_pes, shmem_query_initialized, shmem_query_thread, shmem_info_get_version, shmem_info_get_name,
 * shmem_pe_accessible, shmem_addr_accessible
 * rules: 18 19 45 56 64 71 72 76 79 */
#include "check.h"

#include <limits.h>

static long bss;
static long data = 4;
static const long constant = 5;
static _Thread_local long per_thread;

int main(void)
{
    int before = 7, inside = 0, after = 7, level = -1, major = -1, minor = -1;
    char name[SHMEM_MAX_NAME_LEN + 8];
    long stack = 0, *heap, *private_heap = malloc(sizeof *private_heap), *outer;
    static int seen[64];
    t_alarm();
    shmem_query_initialized(&before);
    shmem_info_get_version(&major, &minor);
    CHECK(major == 1 && minor == 6);
    shmem_info_get_name(name);
    CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0);
    shmem_pcontrol(0);
    major = minor = -1;
    shmem_init();
    shmem_query_initialized(&inside);
    t_begin();
    CHECK_EQ(before, 0);
    CHECK(inside != 0);
    CHECK(t_npes >= 1 && t_me >= 0 && t_me < t_npes);
    /* Numbers are unique: each PE marks its own place on PE 0. */
    shmem_int_atomic_inc(&seen[t_me], 0);
    shmem_barrier_all();
    if (t_me == 0)
        CHECK_EACH(t_npes, seen[i], 1);
    CHECK_EQ(shmem_my_pe(), t_me);

    shmem_query_thread(&level);
    CHECK_EQ(level, SHMEM_THREAD_SINGLE);
    shmem_info_get_version(&major, &minor);
    CHECK_EQ(major, SHMEM_MAJOR_VERSION);
    CHECK_EQ(minor, SHMEM_MINOR_VERSION);
    CHECK_EQ(major, 1);
    CHECK_EQ(minor, 6);
    memset(name, 'x', sizeof name);
    shmem_info_get_name(name);
    CHECK(memchr(name, 0, SHMEM_MAX_NAME_LEN) != NULL);
    CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0);
    CHECK(sizeof SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN);
    CHECK_FILL(name + SHMEM_MAX_NAME_LEN, 'x', 8);

    CHECK_EACH(t_npes, shmem_pe_accessible(i), 1);
    CHECK_EQ(shmem_pe_accessible(t_npes), 0);
    CHECK_EQ(shmem_pe_accessible(-1), 0);
    CHECK_EQ(shmem_pe_accessible(INT_MAX), 0);
    CHECK_EQ(shmem_pe_accessible(INT_MIN), 0);

    heap = t_malloc(100 * sizeof *heap);
    outer = heap + 99;
    for (int pe = 0; pe < t_npes; pe++) {
        CHECK_EQ(shmem_addr_accessible(heap, pe), 1);
        CHECK_EQ(shmem_addr_accessible(outer, pe), 1);
        CHECK_EQ(shmem_addr_accessible(&bss, pe), 1);
        CHECK_EQ(shmem_addr_accessible(&data, pe), 1);
        CHECK_EQ(shmem_addr_accessible(&stack, pe), 0);
        CHECK_EQ(shmem_addr_accessible(private_heap, pe), 0);
        CHECK_EQ(shmem_addr_accessible(&per_thread, pe), 0);
        CHECK_EQ(shmem_addr_accessible(NULL, pe), 0);
        /* The C library's data and the program's code and constants are not symmetric. */
        CHECK_EQ(shmem_addr_accessible(stdout, pe), 0);
        CHECK_EQ(shmem_addr_accessible(&constant, pe), 0);
        CHECK_EQ(shmem_addr_accessible((const void *)(uintptr_t)&main, pe), 0);
    }
    CHECK_EQ(shmem_addr_accessible(heap, t_npes), 0);
    CHECK_EQ(shmem_addr_accessible(heap, -1), 0);
    shmem_free(heap);
    free(private_heap);

    {
        int code = t_agree();
        shmem_finalize();
        shmem_query_initialized(&after);
        if (after != 0) {
            fprintf(stderr, "PE %d: still initialised after finalize\n", t_me);
            code = 1;
        }
        return code;
    }
}
