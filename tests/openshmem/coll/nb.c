/* Collectives that are started: all PEs draw one schedule of starts on teams of many shapes, mixed with blocking ones,
 * and complete their own in any order, by test and wait, on two threads. Then: a start waits for nobody, and more
 * collectives of a team can be started than may be under way.
 * shmemx_{barrier_all,sync,*_broadcast,*_reduce,*_collect,*_fcollect,*_alltoall,*_alltoalls,*_inscan,*_exscan}_nb,
 * shmemx_req_{test,wait}; argument 1: statics or heap
 */
#include "coll.h"
#include "random/random.h"

#include <shmemx.h>

enum { SYNC, BLOCKING, BROADCAST, SUM, MAX, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS, INSCAN, EXSCAN, KINDS };
enum { ROUNDS = 12, STARTS = 32, MOST = 40000 };
static const int lengths[] = {0, 1, 6, 7, 8, 300, 5000, MOST};
static long *source[STARTS], *dest[STARTS], flag, statics[2 * STARTS * MOST];

typedef struct {
    t_group *group;
    int kind, n, root;
    shmemx_req_t req;
} t_start;

static uint64_t all, own; /* draws that are equal on all PEs, and that are not */

static long element(int round, int start, int pe, int i) { return pe * 1000003L + round * 7919L + start * 101L + i; }

/* Elements of a member: in a collect some have half as many, or none. */
static int part(const t_start *s, int member) { return s->kind == COLLECT ? s->n * (member % 3) / 2 : s->n; }

static void start(t_start *s, int k)
{
    const shmem_team_t team = s->group->team;
    s->req = SHMEMX_REQ_INVALID;
    int rc = -1;
    switch (s->kind) {
    case SYNC: rc = shmemx_sync_nb(team, &s->req); break;
    case BROADCAST: rc = shmemx_long_broadcast_nb(team, dest[k], source[k], s->n, s->root, &s->req); break;
    case SUM: rc = shmemx_sum_reduce_nb(team, dest[k], source[k], s->n, &s->req); break; /* the generic macro */
    case MAX: rc = shmemx_long_max_reduce_nb(team, source[k], source[k], s->n, &s->req); break;
    case COLLECT: rc = shmemx_long_collect_nb(team, dest[k], source[k], part(s, s->group->me), &s->req); break;
    case FCOLLECT: rc = shmemx_long_fcollect_nb(team, dest[k], source[k], s->n, &s->req); break;
    case ALLTOALL: rc = shmemx_long_alltoall_nb(team, dest[k], source[k], s->n, &s->req); break;
    case ALLTOALLS: rc = shmemx_long_alltoalls_nb(team, dest[k], source[k], 2, 1, s->n, &s->req); break;
    case INSCAN: rc = shmemx_long_sum_inscan_nb(team, dest[k], source[k], s->n, &s->req); break;
    case EXSCAN: rc = shmemx_long_sum_exscan_nb(team, source[k], source[k], s->n, &s->req); break;
    }
    CHECK_EQ(rc, 0);
    CHECK(s->req != SHMEMX_REQ_INVALID);
}

static void check(const t_start *s, int round, int k)
{
    const t_group *g = s->group;
    const long *d = dest[k];
    T_WHAT("round %d, start %d: kind %d of %d elements among %d", round, k, s->kind, s->n, g->size);
    for (int i = 0; i < s->n; i++) {
        long sum = 0, max = 0, before = 0, at = 0;
        for (int m = 0; m < g->size; m++) {
            const long e = element(round, k, t_world(g, m), i);
            before += m < g->me ? e : 0;
            sum += e;
            max = e > max ? e : max;
            if ((s->kind == COLLECT || s->kind == FCOLLECT) && i < part(s, m))
                CHECK_EQ(d[at + i], e);
            at += part(s, m);
            if (s->kind == ALLTOALL || s->kind == ALLTOALLS)
                CHECK_EQ(d[(m * s->n + i) * (s->kind == ALLTOALLS ? 2 : 1)],
                         element(round, k, t_world(g, m), g->me * s->n + i));
        }
        switch (s->kind) {
        case BROADCAST: CHECK_EQ(d[i], element(round, k, t_world(g, s->root), i)); break;
        case BLOCKING:
        case SUM: CHECK_EQ(d[i], sum); break;
        case MAX: CHECK_EQ(source[k][i], max); break;
        case INSCAN: CHECK_EQ(d[i], before + element(round, k, t_me, i)); break;
        case EXSCAN: CHECK_EQ(source[k][i], before); break;
        }
    }
}

static void complete(shmemx_req_t *req)
{
    if (r_below(&own, 2))
        shmemx_req_wait(req);
    else
        while (shmemx_req_test(req) != 0)
            ;
    CHECK(*req == SHMEMX_REQ_INVALID);
}

static void *wait_for_it(void *req)
{
    shmemx_req_wait(req);
    return NULL;
}

static void one_round(t_group *groups, int made, int round)
{
    t_start starts[STARTS];
    int going[STARTS], n = 0;
    for (int k = 0; k < STARTS; k++) {
        t_start *s = &starts[k];
        s->group = &groups[r_below(&all, made)];
        s->kind = r_below(&all, KINDS);
        s->n = s->kind == SYNC ? 0 : lengths[r_below(&all, sizeof lengths / sizeof *lengths)];
        s->root = r_below(&all, s->group->size);
        const int most = MOST / s->group->size / 2;
        if (s->kind >= COLLECT && s->kind <= ALLTOALLS && s->n > most)
            s->n = most;
        for (int i = 0; i < MOST; i++)
            source[k][i] = element(round, k, t_me, i), dest[k][i] = -1;
    }
    shmem_barrier_all(); /* dest is ready on all */
    for (int k = 0; k < STARTS; k++) {
        t_start *s = &starts[k];
        if (s->group->me < 0)
            continue;
        if (s->kind == BLOCKING) {
            CHECK_EQ(shmem_long_sum_reduce(s->group->team, dest[k], source[k], s->n), 0);
            check(s, round, k);
            continue;
        }
        start(s, k);
        going[n++] = k;
    }
    pthread_t thread;
    const int other = n > 0 ? going[--n] : -1;
    if (other >= 0)
        pthread_create(&thread, NULL, wait_for_it, &starts[other].req);
    while (n > 0) {
        const int i = r_below(&own, n), k = going[i];
        going[i] = going[--n];
        complete(&starts[k].req);
        check(&starts[k], round, k);
    }
    if (other >= 0) {
        pthread_join(thread, NULL);
        check(&starts[other], round, other);
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    t_group groups[T_GROUPS];
    shmemx_req_t reqs[3 * STARTS];
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    all = r_state(r_seed(), 0);
    own = r_state(r_seed(), 1 + (uint64_t)t_me);
    const int heap = argc < 2 || strcmp(argv[1], "statics");
    for (int k = 0; k < STARTS; k++) {
        source[k] = heap ? shmem_malloc(MOST * sizeof(long)) : &statics[2 * k * MOST];
        dest[k] = heap ? shmem_malloc(MOST * sizeof(long)) : &statics[(2 * k + 1) * MOST];
    }
    for (int round = 0; round < ROUNDS; round++) {
        const int made = t_groups(groups);
        one_round(groups, made, round);
        t_groups_destroy(groups, made);
    }

    /* PE 0 starts, and only then lets the others start. */
    shmemx_req_t req;
    source[0][0] = t_me;
    if (t_me > 0)
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    CHECK_EQ(shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, dest[0], source[0], 1, &req), 0);
    for (int pe = 1; t_me == 0 && pe < t_npes; pe++)
        shmem_long_p(&flag, 1, pe);
    shmemx_req_wait(&req);
    CHECK_EQ(dest[0][0], t_npes * (t_npes - 1) / 2);

    for (int k = 0; k < 3 * STARTS; k++)
        CHECK_EQ(k % 2 ? shmemx_barrier_all_nb(&reqs[k]) : shmemx_sync_nb(SHMEM_TEAM_WORLD, &reqs[k]), 0);
    for (int k = 0; k < 3 * STARTS; k++)
        complete(&reqs[k]);
    for (int k = 0; heap && k < STARTS; k++) {
        shmem_free(source[k]);
        shmem_free(dest[k]);
    }
    return t_done();
}
