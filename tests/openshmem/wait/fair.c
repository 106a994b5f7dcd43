/* any: repeated calls come to every variable that holds, masked or not; calls on other arrays in between, and more arrays
 * than anybody would remember, do not change that.
 * shmem_TYPENAME_{wait_until,test}_any[_vector]
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

int main(void)
{
    t_init();
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
            for (int a = 0; a < arrays; a++)
                CHECK_EQ(seen[a], (2u << a % N) - 1);
        }
    }
    /* One that always holds does not hide one that comes to hold later. */
    for (int i = 1; i < N; i++)
        array[0][i] = 1;
    for (int i = 0; i < 5; i++)
        CHECK_EQ(one(0, array[0], N), 0);
    array[0][7] = 0;
    {
        size_t a = one(0, array[0], N), b = one(0, array[0], N);
        CHECK(a != b && a + b == 7);
    }
    return t_done();
}
