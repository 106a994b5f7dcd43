/* A node whose PEs are at unequal distances: its PEs are SHMEM_TEAM_SHARED all the same, in the order of their numbers.
 * Teams split from that team, contexts on them, translations and collectives are right. PE 0 prints the sizes of
 * SHMEM_TEAM_SHARED on PE 0, 1 and so on. */
#include <shmem.h>
#include <stdio.h>

enum { MOST = 16 };
static long sizes[MOST], source, sum, word;

static int bad;

static void check(int right, const char *what)
{
    if (!right)
        fprintf(stderr, "PE %d: %s\n", shmem_my_pe(), what), bad = 1;
}

/* What holds in a team whose members are the `n` PEs `pes`. */
static void uses(shmem_team_t team, const int *pes, int n, const char *what)
{
    int me = shmem_my_pe(), mine = shmem_team_my_pe(team);
    long want = 0;
    check(shmem_team_n_pes(team) == n, what);
    for (int i = 0; i < n; i++) {
        check(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD) == pes[i], what);
        check(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pes[i], team) == i, what);
        want += pes[i] + 1;
    }
    source = me + 1;
    check(shmem_long_sum_reduce(team, &sum, &source, 1) == 0 && sum == want, what);
    shmem_ctx_t ctx;
    check(shmem_team_create_ctx(team, 0, &ctx) == 0, what);
    shmem_ctx_long_p(ctx, &word, 100 + me, (mine + 1) % n);
    shmem_ctx_quiet(ctx);
    shmem_team_sync(team);
    check(word == 100 + pes[(mine + n - 1) % n], what);
    shmem_team_sync(team);
    shmem_ctx_destroy(ctx);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), here[MOST], odd[MOST], n_here = 0, n_odd = 0;
    long *heap = shmem_malloc(sizeof *heap);
    for (int pe = 0; pe < n; pe++)
        if (shmem_ptr(heap, pe))
            here[n_here++] = pe;
    uses(SHMEM_TEAM_SHARED, here, n_here, "SHMEM_TEAM_SHARED");
    /* Every second PE, from the last one on. */
    shmem_team_t part;
    for (int i = n_here - 1; i >= 0; i -= 2)
        odd[n_odd++] = here[i];
    check(shmem_team_split_strided(SHMEM_TEAM_SHARED, n_here - 1, -2, n_odd, NULL, 0, &part) == 0, "split");
    if (part != SHMEM_TEAM_INVALID) {
        uses(part, odd, n_odd, "a part of SHMEM_TEAM_SHARED");
        shmem_team_destroy(part);
    }
    shmem_team_t x, y;
    check(shmem_team_split_2d(SHMEM_TEAM_SHARED, 2, NULL, 0, &x, NULL, 0, &y) == 0, "split in two directions");
    int mine = shmem_team_my_pe(SHMEM_TEAM_SHARED), row = mine / 2 * 2;
    uses(x, here + row, n_here - row < 2 ? 1 : 2, "a row of SHMEM_TEAM_SHARED");
    shmem_team_destroy(x);
    shmem_team_destroy(y);
    shmem_long_p(&sizes[me], n_here, 0);
    shmem_barrier_all();
    source = bad;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &source, 1);
    for (int pe = 0; pe < n && me == 0 && sum == 0; pe++)
        printf("%ld%s", sizes[pe], pe < n - 1 ? " " : "\n");
    shmem_finalize();
    return sum != 0;
}
