/* Sorts integers that are spread over all PEs. What it shows: the pattern of most distributed sorts: count, reserve
 * space at the owner with one fetch-and-add, put the keys there, sort the keys that have arrived.
 *
 * Keys are in 0 .. MAX-1; PE p ends up with those of the p-th part of that range.
 *
 *     oshcc -O2 sort.c -o sort && oshrun -n 4 ./sort [KEYS OF EACH PE]
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 1 << 20 };

static size_t filled; /* keys that were put into my part so far */
static uint64_t made[2], made_by_all[2], kept[2], kept_by_all[2]; /* number and checksum of keys */
static int first_key, failures, all_failures;

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "sort: no memory for the keys\n");
        shmem_global_exit(1);
    }
    return memory;
}

int main(int argc, char **argv)
{
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    const long asked = argc > 1 ? atol(argv[1]) : 100000;
    if (asked < 1) {
        fprintf(stderr, "usage: sort [KEYS OF EACH PE]\n");
        shmem_global_exit(2);
    }
    const size_t keys = (size_t)asked, room = 2 * keys + 1000; /* parts are nearly equal for random keys */
    const int span = (MAX + n - 1) / n;

    /* This PE's keys, grouped by the PE that they go to. */
    int *key = must(malloc(keys * sizeof *key)), *grouped = must(malloc(keys * sizeof *grouped));
    size_t *start = must(calloc((size_t)n + 1, sizeof *start)), *at = must(malloc((size_t)n * sizeof *at));
    uint64_t seed = 88172645463325252u + (uint64_t)me * 977;
    for (size_t i = 0; i < keys; i++) {
        key[i] = (int)(random_next(&seed) % MAX);
        start[key[i] / span + 1]++;
        made[1] += (uint64_t)key[i];
    }
    made[0] = keys;
    for (int pe = 0; pe < n; pe++)
        start[pe + 1] += start[pe];
    memcpy(at, start, (size_t)n * sizeof *at);
    for (size_t i = 0; i < keys; i++)
        grouped[at[key[i] / span]++] = key[i];

    /* Puts the keys to their owners. */
    int *part = must(shmem_malloc(room * sizeof *part));
    for (int k = 1; k <= n; k++) {
        const int pe = (me + k) % n;
        const size_t count = start[pe + 1] - start[pe];
        const size_t place = shmem_atomic_fetch_add(&filled, count, pe);
        if (place + count > room) {
            fprintf(stderr, "sort: PE %d gets more than %zu keys\n", pe, room);
            shmem_global_exit(1);
        }
        shmem_put(part + place, grouped + start[pe], count, pe);
    }
    shmem_barrier_all();
    qsort(part, filled, sizeof *part, ascending);

    /* No key is lost, each is in its part, and the parts are in order. */
    first_key = filled ? part[0] : me * span;
    for (size_t i = 0; i < filled; i++) {
        failures += part[i] / span != me || (i > 0 && part[i - 1] > part[i]);
        kept[1] += (uint64_t)part[i];
    }
    kept[0] = filled;
    shmem_barrier_all();
    if (me + 1 < n && filled)
        failures += part[filled - 1] > shmem_g(&first_key, me + 1);
    shmem_sum_reduce(SHMEM_TEAM_WORLD, made_by_all, made, 2);
    shmem_sum_reduce(SHMEM_TEAM_WORLD, kept_by_all, kept, 2);
    failures += memcmp(made_by_all, kept_by_all, sizeof made_by_all) != 0;
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_failures, &failures, 1);
    if (me == 0)
        printf("%s: %llu keys in order on %d PEs, %llu of them on PE 0\n", all_failures ? "WRONG" : "ok",
               (unsigned long long)kept_by_all[0], n, (unsigned long long)kept[0]);

    shmem_free(part);
    free(at);
    free(start);
    free(grouped);
    free(key);
    shmem_finalize();
    return all_failures != 0;
}
