/* A tool's shmem_int_put is called in place of the library's, and reaches the work through pshmem_int_put; the same for
 * a macro's target, an init, an allocation and an AMO. Calls made inside the library are not seen by the tool.
 * rules: 5 260 261 262 264 */
#include "check.h"

extern long wrapped_puts, wrapped_inits, wrapped_mallocs, wrapped_adds, wrapped_barriers, wrapped_quiets;
static int box[4];

int main(void)
{
    int v[4] = {1, 2, 3, 4};
    void *p;
    t_init();
    CHECK_EQ(wrapped_inits, 1);
    CHECK_EQ(wrapped_puts, 0);
    shmem_int_put(box, v, 4, t_right());
    CHECK_EQ(wrapped_puts, 1);
    shmem_put(box, v, 4, t_right());
    CHECK_EQ(wrapped_puts, 2);
    CHECK_EQ(wrapped_barriers, 0);
    p = shmem_malloc(10);
    CHECK_EQ(wrapped_mallocs, 1);
    shmem_free(p);
    /* The allocator's own barriers and quiets are the library's matter. */
    CHECK_EQ(wrapped_barriers, 0);
    CHECK_EQ(wrapped_quiets, 0);
    shmem_barrier_all();
    CHECK_EQ(wrapped_barriers, 1);
    CHECK_EQ(wrapped_quiets, 0);
    CHECK_EQ(box[3], 4);
    wrapped_adds = 0;
    CHECK_EQ(shmem_int_atomic_fetch_add(&box[0], 5, t_me), 1);
    CHECK_EQ(wrapped_adds, 1);
    CHECK_EQ(box[0], 6);
    return t_done();
}
