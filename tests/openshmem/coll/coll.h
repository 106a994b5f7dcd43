/* coll.h: what the tests of teams and collectives share: the type tables of team reductions, teams of many shapes, and
 * buffers on the heap or among the statics.
 */
#ifndef T_COLL_H
#define T_COLL_H

#include "check.h"
#include "types.h"

/* Team reductions: and, or, xor. */
#define T_TEAM_BITS(X)                            \
    T_SHORT_UNSIGNED(X)                           \
    T_UNSIGNED(X)                                 \
    T_SHORT_EXACT(X)                              \
    T_EXACT(X)                                    \
    X(size, size_t, SIZE)

/* Team reductions: max and min have the 24 types of T_RMA, which are these and T_REAL; sum, prod and the scans add
 * T_ASET_COMPLEX. */
#define T_TEAM_INTEGER(X)                         \
    X(char, char, CHAR)                           \
    X(schar, signed char, SCHAR)                  \
    X(short, short, SHORT)                        \
    T_SIGNED(X)                                   \
    X(ptrdiff, ptrdiff_t, PTRDIFF)                \
    T_TEAM_BITS(X)

/* Bytes from which the library takes another algorithm: the most in the line of a sync slot, the fewest written into
 * the others' dest, the most in an eager buffer. */
enum { T_SMALL = 56, T_WRITTEN = 512, T_EAGER = 2048 };

/* A group of PEs: member i is PE start + i * stride of the world. */
typedef struct {
    shmem_team_t team; /* SHMEM_TEAM_INVALID on PEs outside */
    int start, stride, size;
    int me; /* own number, -1 outside */
} t_group;

T_UNUSED static int t_world(const t_group *g, int i) { return g->start + i * g->stride; }

enum { T_GROUPS = 8 };

/* Splits the world into teams of many shapes and sizes that overlap; gives their number. With 8 PEs the sizes are
 * 8, 8, 1, 4, 3, 7, 2 and 5. */
T_UNUSED static int t_groups(t_group *groups)
{
    const int n = t_npes;
    const struct {
        int least, start, stride, size;
    } shapes[T_GROUPS] = {
        {1, 0, 1, n},         {2, n - 1, -1, n}, {2, n - 1, 1, 1},  {4, 1, 2, n / 2},
        {5, 4, -2, 3},        {3, 1, 1, n - 1},  {8, 7, -5, 2},     {6, 5, -1, 5},
    };
    int made = 0;
    for (int k = 0; k < T_GROUPS; k++) {
        t_group *g = &groups[made];
        if (n < shapes[k].least)
            continue;
        const t_group shape = {SHMEM_TEAM_WORLD, shapes[k].start, shapes[k].stride, shapes[k].size, -1};
        *g = shape;
        for (int i = 0; i < g->size; i++)
            if (t_world(g, i) == t_me)
                g->me = i;
        if (k > 0)
            CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, g->start, g->stride, g->size, NULL, 0, &g->team), 0);
        if ((g->team == SHMEM_TEAM_INVALID) != (g->me < 0) || shmem_team_my_pe(g->team) != g->me)
            T_DIE("team %d%+d*%d is not what was asked for", g->start, g->stride, g->size);
        made++;
    }
    return made;
}

T_UNUSED static void t_groups_destroy(t_group *groups, int made)
{
    for (int k = 1; k < made; k++)
        shmem_team_destroy(groups[k].team);
}

/* Argument 2, a number (default 1): of so many routines one is called, in each group another one. For runs that are
 * not about types. */
T_UNUSED static int t_every(int argc, char **argv)
{
    const int every = argc > 2 ? atoi(argv[2]) : 1;
    return every < 1 ? 1 : every;
}

/* What a failure says: a text in a buffer that stays. */
#define T_WHAT(...)                                                       \
    do {                                                                  \
        static char t_text[100];                                          \
        snprintf(t_text, sizeof t_text, __VA_ARGS__);                     \
        t_what = t_text;                                                  \
    } while (0)

#endif
