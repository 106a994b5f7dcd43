/* any: repeated calls come to every variable that holds, masked or not; calls on other arrays in between, more
 * arrays than anybody would remember, and calls on one array by turns with other lengths, masks and values, do not
 * change that. shmem_TYPENAME_{wait_until,test}_any[_vector]
 * rules: 239 238 */
#include "check.h"

enum { N = 10, ARRAYS = 40 };

static long array[ARRAYS][N];
static const long zeros[N];

static size_t one(int way, long *ivars, size_t n)
{
    switch (way) {
    case 0: return shmem_long_wait_until_any(ivars, n, NULL, SHMEM_CMP_EQ, 0);
    case 1: return shmem_long_test_any(ivars, n, NULL, SHMEM_CMP_EQ, 0);
    case 2: return shmem_long_wait_until_any_vector(ivars, n, NULL, SHMEM_CMP_EQ, zeros);
    default: return shmem_long_test_any_vector(ivars, n, NULL, SHMEM_CMP_EQ, zeros);
    }
}

/* One array, asked in two ways by turns: its first n elements, without those masked, against a value. */
struct question {
    size_t n;
    int mask[N];
    long value;
};
static void by_turns(const struct question q[2])
{
    unsigned seen[2] = {0};
    for (int call = 0; call < 4000; call++)
        for (int w = 0; w < 2; w++) {
            const size_t i = shmem_long_test_any(array[0], q[w].n, q[w].mask, SHMEM_CMP_EQ, q[w].value);
            CHECK(i < q[w].n);
            seen[w] |= 1u << i;
        }
    for (int w = 0; w < 2; w++)
        CHECK_EACH(q[w].n, seen[w] >> i & 1, !q[w].mask[i] && array[0][i] == q[w].value);
}

int main(void)
{
    t_init();
    by_turns((struct question[]){{2, {0}, 0}, {N, {0}, 0}});
    by_turns((struct question[]){{N, {[5] = 1, 1, 1, 1, 1}, 0}, {N, {1, 1, 1, 1, 1}, 0}});
    by_turns((struct question[]){{N, {[1] = 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0}, {N, {0}, 0}});
    for (int i = 5; i < N; i++)
        array[0][i] = 1;
    by_turns((struct question[]){{N, {0}, 0}, {N, {0}, 1}});
    for (int i = 5; i < N; i++)
        array[0][i] = 0;
    for (int way = 0; way < 4; way++) {
        for (int arrays = 1; arrays <= ARRAYS; arrays++) {
            unsigned seen[ARRAYS] = {0};
            /* Arrays of different lengths, in turn; all their elements hold. */
            for (int call = 0; call < 400; call++)
                for (int a = 0; a < arrays; a++) {
                    const size_t n = 1 + (size_t)a % N, i = one(way, array[a], n);
                    CHECK(i < n);
                    seen[a] |= 1u << i;
                }
            CHECK_EACH(arrays, seen[i], (2u << i % N) - 1);
        }
    }
    /* One that always holds does not hide one that comes to hold later. */
    for (int i = 1; i < N; i++)
        array[0][i] = 1;
    for (int i = 0; i < 5; i++)
        CHECK_EQ(one(0, array[0], N), 0);
    array[0][7] = 0;
    {
        int others = 0;
        for (int i = 0; i < 100; i++)
            others += one(0, array[0], N) == 7;
        CHECK(others > 20 && others < 95); /* seven of ten starts find it first */
    }
    return t_done();
}
