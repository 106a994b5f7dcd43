/* The last PE runs another executable: a copy of this one with another build id, which it becomes before init. PE 0
 * says so, static variables are private then, and the heap works as ever. shmem_init, shmem_addr_accessible,
 * shmem_ptr
 * rules: 46 74 U54 */
#define _GNU_SOURCE
#define T_NO_STATICS
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static long word;

/* Returns only when something went wrong. */
static void become_another(char **argv)
{
    /* The head of a build id: size, type, name. */
    static const unsigned char head[] = {20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
    extern char **environ;
    const int from = open("/proc/self/exe", O_RDONLY), to = memfd_create("other", 0);
    struct stat st;
    unsigned char *bytes, *id;
    if (from < 0 || to < 0 || fstat(from, &st) || !(bytes = malloc((size_t)st.st_size)) ||
        read(from, bytes, (size_t)st.st_size) != st.st_size)
        return;
    id = memmem(bytes, (size_t)st.st_size, head, sizeof head);
    if (!id)
        return;
    id[sizeof head] ^= 1;
    if (write(to, bytes, (size_t)st.st_size) != st.st_size)
        return;
    close(from);
    fexecve(to, argv, environ);
}

int main(int argc, char **argv)
{
    long *heap;
    if (argc < 2 && t_launched_as() == 1) {
        char *again[] = {argv[0], "again", NULL};
        become_another(again);
        perror("cannot become another program");
        return 2;
    }
    t_init();
    heap = t_malloc(sizeof *heap);
    *heap = -1;
    for (int pe = 0; pe < t_npes; pe++) {
        CHECK_EQ(shmem_addr_accessible(&word, pe), 0);
        CHECK_EQ(shmem_addr_accessible(heap, pe), 1);
        CHECK(shmem_ptr(heap, pe) != NULL);
    }
    CHECK_PTR(shmem_ptr(&word, t_right()), NULL);
    shmem_barrier_all();
    shmem_long_p(heap, t_me, t_right());
    shmem_barrier_all();
    CHECK_EQ(*heap, t_left());
    shmem_free(heap);
    return t_done();
}
