/* Strided splits of the world and of strided and reversed parents: chosen and random triplets, legal or not; what comes
 * out is compared with a plain list. Numbers, translation both ways, what a non-member gets, and use at once.
 * shmem_team_split_strided, shmem_team_my_pe, shmem_team_n_pes, shmem_team_translate_pe, shmem_team_sync,
 * shmem_team_ptr, shmem_team_split_2d, shmem_team_destroy
 * rules: 75 102 104 105 106 107 108 109 110 111 112 118 121 122 125 U25 U26 U27 */
#include "coll/coll.h"

enum { RANDOM = 60, MOST = 64 };
static uint64_t seed = 0x9e3779b97f4a7c15u;
static long token;
#define JUNK ((shmem_team_t)(uintptr_t)0x1234567)

/* World numbers of a team's members. */
typedef struct {
    int size, pe[MOST];
} list;

static int number_of(const list *l, int pe)
{
    for (int i = 0; i < l->size; i++)
        if (l->pe[i] == pe)
            return i;
    return -1;
}

static int legal(int n, int start, int stride, int size)
{
    if (size < 1 || (stride == 0 && size != 1))
        return 0;
    for (long i = 0; i < size && i <= n; i++)
        if (start + i * stride < 0 || start + i * stride >= n)
            return 0;
    return 1;
}

/* The team must have the members of `want`. */
static void inspect(shmem_team_t team, const list *want, shmem_team_t parent, const list *members)
{
    const int me = number_of(want, t_me);
    CHECK_EQ(shmem_team_my_pe(team), me);
    CHECK_EQ(shmem_team_n_pes(team), want->size);
    CHECK(team != parent && team != SHMEM_TEAM_INVALID && team != SHMEM_TEAM_WORLD && team != SHMEM_TEAM_SHARED);
    for (int i = -2; i < want->size + 2; i++) {
        const int inside = i >= 0 && i < want->size;
        CHECK_EQ(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD), inside ? want->pe[i] : -1);
        CHECK_EQ(shmem_team_translate_pe(team, i, parent), inside ? number_of(members, want->pe[i]) : -1);
        CHECK_EQ(shmem_team_translate_pe(team, i, team), inside ? i : -1);
        CHECK_EQ(shmem_team_translate_pe(team, i, SHMEM_TEAM_INVALID), -1);
        CHECK_PTR(shmem_team_ptr(team, &token, i), inside ? shmem_ptr(&token, want->pe[i]) : NULL);
    }
    for (int pe = -1; pe <= t_npes; pe++)
        CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team), pe < 0 ? -1 : number_of(want, pe));
    CHECK_EACH(members->size, shmem_team_translate_pe(parent, i, team), number_of(want, members->pe[i]));
    CHECK_EQ(shmem_team_sync(team), 0);
}

static void split(shmem_team_t parent, const list *members, int start, int stride, int size)
{
    const int right = legal(members->size, start, stride, size);
    shmem_team_t team = JUNK, copy;
    list want = {0};
    T_WHAT("%d%+d*%d of %d", start, stride, size, members->size);
    for (int i = 0; right && i < size; i++)
        want.pe[want.size++] = members->pe[start + i * stride];
    if (right) {
        CHECK_EQ(shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team), 0);
        copy = team;
        if (number_of(&want, t_me) < 0)
            CHECK(team == SHMEM_TEAM_INVALID);
        else
            inspect(copy, &want, parent, members);
    } else {
        CHECK(shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team) != 0);
        CHECK(team == SHMEM_TEAM_INVALID);
    }
    shmem_team_destroy(team);
}

static int random_in(int low, int high)
{
    return low + (int)(t_random(&seed) % (unsigned)(high - low + 1));
}

/* All members of the parent call with the same numbers. */
static void split_many(shmem_team_t parent, const list *members)
{
    const int n = members->size;
    const int fixed[][3] = {
        {0, 1, n},           {n - 1, -1, n},      {0, 1, 1},         {n - 1, 0, 1},       {0, 0, 1},
        {0, 0, 2},           {0, 2, (n + 1) / 2}, {1, 2, n / 2},     {n - 1, -2, n / 2},  {0, 1, n + 1},
        {0, 1, 0},           {0, 1, -1},          {-1, 1, 1},        {n, 1, 1},           {1, 1, n},
        {0, -1, 2},          {n - 1, 1, 2},       {3, 3, 3},         {n - 1, 1000, 1},    {0, -1000, 1},
        {0, INT_MAX, 2},     {0, INT_MIN, 2},     {0, INT_MAX, INT_MAX}, {INT_MAX, 1, 2}, {INT_MIN, 1, 1},
        {0, 1, INT_MAX},     {n / 2, n, 2},       {0, 3, (n + 2) / 3}, {n - 1, -3, (n + 2) / 3},
    };
    uint64_t kept = seed;
    for (unsigned k = 0; k < sizeof fixed / sizeof *fixed; k++)
        split(parent, members, fixed[k][0], fixed[k][1], fixed[k][2]);
    for (int k = 0; k < RANDOM; k++) {
        int start = random_in(-1, n), stride = random_in(-n, n), size = random_in(0, n);
        split(parent, members, start, stride, size);
    }
    /* Not every PE has been here: leave the sequence alike. */
    seed = kept;
}

/* Splits again from what a split of the world gives, and from what a split of that gives. */
static void below(int start, int stride, int size, int start2, int stride2, int size2)
{
    shmem_team_t team, inner = SHMEM_TEAM_INVALID;
    list members = {0}, fewer = {0};
    if (!legal(t_npes, start, stride, size))
        return;
    for (int i = 0; i < size; i++)
        members.pe[members.size++] = start + i * stride;
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team), 0);
    if (team != SHMEM_TEAM_INVALID) {
        split_many(team, &members);
        if (legal(size, start2, stride2, size2)) {
            for (int i = 0; i < size2; i++)
                fewer.pe[fewer.size++] = members.pe[start2 + i * stride2];
            /* at once, and the parent goes before its child is used */
            CHECK_EQ(shmem_team_split_strided(team, start2, stride2, size2, NULL, 0, &inner), 0);
            shmem_team_destroy(team);
            if (inner != SHMEM_TEAM_INVALID)
                split_many(inner, &fewer);
            shmem_team_destroy(inner);
        } else
            shmem_team_destroy(team);
    }
}

static void invalid(void)
{
    shmem_team_t team = JUNK, x = JUNK, y = JUNK;
    t_what = "invalid";
    CHECK_EQ(shmem_team_my_pe(SHMEM_TEAM_INVALID), -1);
    CHECK_EQ(shmem_team_n_pes(SHMEM_TEAM_INVALID), -1);
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD), -1);
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID), -1);
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_INVALID), -1);
    CHECK_PTR(shmem_team_ptr(SHMEM_TEAM_INVALID, &token, 0), NULL);
    CHECK_PTR(shmem_team_ptr(SHMEM_TEAM_WORLD, &token, t_right()), shmem_ptr(&token, t_right()));
    shmem_team_destroy(SHMEM_TEAM_INVALID);
    /* by one PE alone: there is nobody to communicate with */
    if (t_me == 0) {
        CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &team) != 0);
        CHECK(shmem_team_split_2d(SHMEM_TEAM_INVALID, 1, NULL, 0, &x, NULL, 0, &y) != 0);
        CHECK(team == SHMEM_TEAM_INVALID && x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
    }
}

/* PEs that want different teams get none, all of them, whether what they want is possible or not; the library is well
 * afterwards. */
static void disagree(void)
{
    shmem_team_t team = JUNK, x, y;
    t_what = "different arguments";
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1 + (t_me == t_npes - 1), NULL, 0, &team) != 0);
    CHECK(team == SHMEM_TEAM_INVALID);
    for (int range = -1; range <= 1; range++) {
        x = y = JUNK;
        CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, t_me ? 2 : range, NULL, 0, &x, NULL, 0, &y) != 0);
        CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID);
    }
    CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, t_npes, NULL, 0, &team), 0);
    CHECK_EQ(shmem_team_n_pes(team), t_npes);
    shmem_team_destroy(team);
}

int main(void)
{
    list all = {0};
    t_init();
    for (int pe = 0; pe < t_npes; pe++)
        all.pe[all.size++] = pe;
    CHECK_EQ(shmem_team_my_pe(SHMEM_TEAM_WORLD), t_me);
    CHECK_EQ(shmem_team_n_pes(SHMEM_TEAM_WORLD), t_npes);
    invalid();
    split_many(SHMEM_TEAM_WORLD, &all);
    below(t_npes - 1, -1, t_npes, 0, 2, (t_npes + 1) / 2);
    below(1, 2, t_npes / 2, t_npes / 2 - 1, -1, t_npes / 2);
    below(t_npes - 1, -2, (t_npes + 1) / 2, 0, 1, 2);
    below(0, 3, (t_npes + 2) / 3, 1, 1, 1);
    if (t_npes > 1)
        disagree();
    return t_done();
}
