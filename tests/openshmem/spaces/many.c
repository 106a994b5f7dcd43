/* As many spaces as there can be, and one more; a full space; spaces that come and go. The heap does not notice: its
 * blocks have the places that they have without spaces. Argument: "full" (the line of a full space is printed). */
#include "check.h"

#include <shmemx.h>

enum { MOST = 16, ROUNDS = 40 };
static const shmemx_space_config_t small = {.size = 1 << 20};

static shmemx_space_t make(void)
{
    shmemx_space_t space = SHMEMX_SPACE_INVALID;
    if (shmemx_space_create(&small, SHMEM_TEAM_WORLD, &space) || space == SHMEMX_SPACE_INVALID)
        T_DIE("no space");
    return space;
}

int main(int argc, char **argv)
{
    shmemx_space_t space[MOST], more;
    long *word[MOST];
    const int fill = argc > 1 && !strcmp(argv[1], "full");
    t_init();
    char *before = t_malloc(1000), *after;
    for (int i = 0; i < MOST; i++) {
        space[i] = make();
        word[i] = shmemx_space_calloc(space[i], 4, sizeof(long));
        CHECK(word[i] != NULL);
    }
    after = t_malloc(1000);
    CHECK_EQ(after - before, 1024);
    for (int i = 0; i < MOST; i++)
        shmem_long_p(&word[i][1], 100 * i + t_me, t_right());
    shmem_barrier_all();
    CHECK_EACH(MOST, word[i][1], 100 * i + t_left());
    if (fill) {
        more = space[0];
        CHECK(shmemx_space_create(&small, SHMEM_TEAM_WORLD, &more) != 0 && more == SHMEMX_SPACE_INVALID);
        void *large = shmemx_space_malloc(space[3], 900000);
        CHECK(large && !shmemx_space_malloc(space[3], 200000) && !shmemx_space_malloc(space[3], SIZE_MAX));
        CHECK(!shmemx_space_align(space[3], (size_t)1 << 30, 8));
        shmemx_space_free(space[3], large);
        CHECK(shmemx_space_malloc(space[3], 1000000) != NULL);
    }
    CHECK_PTR(shmemx_space_malloc(space[0], 0), NULL);
    shmemx_space_free(space[0], NULL);
    CHECK(shmemx_space_destroy(SHMEMX_SPACE_INVALID) != 0);
    /* One goes and another one comes, and nothing stays open. */
    const int open_before = t_open_files(INT_MAX);
    for (int i = 0; i < ROUNDS; i++) {
        const int k = i % MOST;
        CHECK_EQ(shmemx_space_destroy(space[k]), 0);
        CHECK(!shmem_addr_accessible(word[k], t_right()) && !shmem_ptr(word[k], t_right()));
        more = make();
        CHECK(more != space[k]);
        space[k] = more;
        word[k] = shmemx_space_malloc(space[k], 4 * sizeof(long));
        shmem_long_atomic_set(&word[k][2], i, t_right());
        shmem_long_wait_until(&word[k][2], SHMEM_CMP_EQ, i);
        word[k] = shmem_realloc(word[k], 1 << 16);
        CHECK_EQ(word[k][2], i);
    }
    /* Between nodes, a network may connect meanwhile. */
    if (shmem_team_n_pes(SHMEM_TEAM_SHARED) == t_npes)
        CHECK(t_open_files(open_before) <= open_before);
    for (int i = 0; i < MOST / 2; i++)
        CHECK_EQ(shmemx_space_destroy(space[i]), 0);
    shmem_free(after);
    shmem_free(before);
    return t_done(); /* the others end with the library */
}
