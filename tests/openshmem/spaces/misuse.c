/* One misuse of spaces per run, named by the argument: the job must end with one line; or, where a space cannot be had,
 * all PEs of the team are told and one prints a line. */
#include "cases.h"

#include <shmemx.h>
#include <sys/resource.h>

static shmemx_space_t space;
static long here;
static shmemx_space_config_t config = {.size = 1 << 16};
#define W SHMEM_TEAM_WORLD

/* A block of one long in a space of all PEs. */
static long *word(void)
{
    if (shmemx_space_create(&config, W, &space))
        T_DIE("no space");
    return shmemx_space_calloc(space, 1, sizeof(long));
}

/* No PE gets a space with this configuration, whatever the others ask for, and nothing stays open. */
static void refused(void)
{
    const int before = t_open_files(INT_MAX);
    for (int i = 0; i < 3; i++)
        CHECK(shmemx_space_create(&config, W, &space) != 0 && space == SHMEMX_SPACE_INVALID);
    CHECK(t_open_files(before) <= before);
    config = (shmemx_space_config_t){.size = 1 << 16};
    long *at = word();
    shmem_long_p(at, t_me, t_right());
    shmem_barrier_all();
    CHECK_EQ(*at, t_left());
}

MISUSE_OF_ALL(destroyed, "shmem_long_p: dest 0x", "belonged to a space that was destroyed")
{
    long *at = word();
    shmemx_space_destroy(space);
    if (t_me == t_npes - 1)
        shmem_long_p(at, 1, 0);
    shmem_barrier_all();
}
MISUSE_OF_ALL(destroyed_free, "shmem_free: 0x", "belonged to a space that was destroyed")
{
    long *at = word();
    shmemx_space_destroy(space);
    if (t_me == t_npes - 1)
        shmem_free(at);
    shmem_barrier_all();
}
MISUSE_OF_ALL(twice, "shmemx_space_destroy: space 0x", "is not a space, or is destroyed already")
{
    word();
    shmemx_space_destroy(space);
    if (t_me == t_npes - 1)
        shmemx_space_destroy(space);
    shmem_barrier_all();
}
MISUSE_OF_ALL(past_end, "with 131072 bytes runs past the end of the space")
{
    char *at = (char *)word();
    if (t_me == t_npes - 1)
        shmem_putmem(at, at, 1 << 17, 0);
    shmem_barrier_all();
}
MISUSE_OF_ALL(unaligned, "shmem_long_atomic_inc: dest", "is not aligned to 8 bytes")
{
    char *at = (char *)word();
    if (t_me == t_npes - 1)
        shmem_long_atomic_inc((long *)(void *)(at + 4), 0);
    shmem_barrier_all();
}
MISUSE_OF_ALL(peers_pointer, "is a pointer from shmem_ptr (to PE 0), which is not symmetric")
{
    long *at = shmem_ptr(word(), t_left());
    if (t_me == t_npes - 1)
        shmem_long_p(at, 1, 0);
    shmem_barrier_all();
}
/* The last PE is not in the team of a space. */
static long *of_others(void)
{
    shmem_team_t team;
    shmem_team_split_strided(W, 0, 1, t_npes - 1, NULL, 0, &team);
    if (t_me < t_npes - 1)
        shmemx_space_create(&config, team, &space);
    return t_me < t_npes - 1 ? shmemx_space_malloc(space, sizeof(long)) : NULL;
}
MISUSE_OF_ALL(outside, "shmem_long_p: dest 0x", "lies in a space whose team does not have PE 2")
{
    long *at = of_others();
    if (t_me == 0)
        shmem_long_p(at, 1, t_npes - 1);
    shmem_barrier_all();
}
MISUSE_OF_ALL(outside_get, "shmem_long_atomic_fetch: source 0x", "lies in a space whose team does not have PE 2")
{
    long *at = of_others();
    if (t_me == 0)
        shmem_long_atomic_fetch(at, t_npes - 1);
    shmem_barrier_all();
}
MISUSE_OF_ALL(other_space, "shmemx_space_free: 0x", "is no block of this space")
{
    long *at = word();
    shmemx_space_t second;
    shmemx_space_create(&config, W, &second);
    shmemx_space_free(second, at);
}
MISUSE(invalid, "shmemx_space_malloc: space is SHMEMX_SPACE_INVALID") { shmemx_space_malloc(SHMEMX_SPACE_INVALID, 8); }
MISUSE(stray, "shmemx_space_malloc: space 0x", "is not a space") { shmemx_space_malloc((shmemx_space_t)&here, 8); }
MISUSE(no_config, "shmemx_space_create: config is null") { shmemx_space_create(NULL, W, &space); }
MISUSE(no_space, "shmemx_space_create: space is null") { shmemx_space_create(&config, W, NULL); }
MISUSE(no_team, "shmemx_space_create: team 0x", "is not a team")
    { shmemx_space_create(&config, (shmem_team_t)&here, &space); }

MISUSE(warn_empty, "shmemx_space_create: config.size is 0") { config.size = 0, refused(); }
MISUSE(warn_large, "is more than an address space holds") { config.size = SIZE_MAX / 2, refused(); }
MISUSE(warn_kind, "config.kind 77 is not one of the SHMEMX_SPACE_ kinds") { config.kind = 77, refused(); }
MISUSE(warn_kind_of_one, "asks for another size or kind than PE 0")
    { config.kind = t_me == t_npes - 1 ? 77 : 0, refused(); }
MISUSE(warn_other_size, "PE 1 asks for another size or kind than PE 0") { config.size += (size_t)t_me, refused(); }
MISUSE(warn_no_path, "config.path is null; SHMEMX_SPACE_FILE needs a directory or a file")
    { config.kind = SHMEMX_SPACE_FILE, refused(); }
MISUSE(warn_domain, "config.number is 900; this process may have memory of domains [")
    { config.kind = SHMEMX_SPACE_NUMA, config.number = 900, refused(); }
MISUSE(warn_minus, "config.number is -1") { config.kind = SHMEMX_SPACE_NUMA, config.number = -1, refused(); }
MISUSE(warn_huge, "huge pages of 2 MiB are missing on this host")
    { config.kind = SHMEMX_SPACE_HUGE, config.size = (size_t)1 << 40, refused(); }
MISUSE(warn_file, "bytes at /proc/nowhere/file: No such file or directory")
{
    config.kind = SHMEMX_SPACE_FILE, config.path = t_me ? "/tmp" : "/proc/nowhere/file";
    refused();
}
MISUSE(warn_device, "bytes at /dev/null: neither a directory nor a plain file")
    { config.kind = SHMEMX_SPACE_FILE, config.path = "/dev/null", refused(); }
MISUSE(warn_no_room, "cannot reserve room for memory (fallocate: Operation not supported")
    { config.kind = SHMEMX_SPACE_FILE, config.path = "/proc/self/comm", refused(); }
MISUSE(warn_gpu) { config.kind = SHMEMX_SPACE_DEVICE, refused(); }
MISUSE(warn_gpu_of_one, "config.number is 7; this process sees 2 devices")
    { config.kind = SHMEMX_SPACE_DEVICE, config.number = t_me ? 0 : 7, refused(); }
MISUSE(warn_gpu_minus, "config.number is -2") { config.kind = SHMEMX_SPACE_DEVICE, config.number = -2, refused(); }
MISUSE(warn_gpu_full, "bytes on device 0: cuMemAlloc: out of memory (CUDA error 2)")
    { config.kind = SHMEMX_SPACE_DEVICE, config.size = (size_t)1 << 30, refused(); }
/* The last PE has no address space for the parts, of which the others learn. */
static void refused_by_last(void)
{
    struct rlimit limit;
    unsigned long pages = 0;
    if (t_me == t_npes - 1) {
        FILE *sizes = fopen("/proc/self/statm", "r");
        if (!sizes || fscanf(sizes, "%lu", &pages) != 1 || getrlimit(RLIMIT_AS, &limit))
            T_DIE("cannot read sizes");
        fclose(sizes);
        limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (64 << 20);
        CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    }
    config.size = 100 << 20;
    refused();
}
MISUSE(warn_unmapped, "parts of 104857600 bytes: Cannot allocate memory") { refused_by_last(); }
MISUSE(warn_gpu_unmapped, "parts of 104857600 bytes: Cannot allocate memory")
    { config.kind = SHMEMX_SPACE_DEVICE, refused_by_last(); }
MISUSE(warn_rma) { CHECK(shmemx_space_create(&config, W, &space) != 0); }

int main(int argc, char **argv)
{
    t_init();
    return t_misuse(argc > 1 ? argv[1] : "");
}
