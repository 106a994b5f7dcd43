/* What a core file of one PE would hold: its own heap and static variables, and not those of its peers. */
#include "check.h"

static long variable = 1;

/* 1: the mapping that holds `place` is left out of core files, 0: it is not, -1: the system does not say. */
static int left_out(const void *place)
{
    char line[1024], *flags;
    unsigned long from, to;
    int found = -1, inside = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = from <= (unsigned long)place && (unsigned long)place < to;
        else if (inside && (flags = strstr(line, "VmFlags:")) != NULL)
            found = strstr(flags, " dd") != NULL;
    }
    if (maps)
        fclose(maps);
    return found;
}

int main(void)
{
    long *mine, *theirs;
    t_init();
    mine = shmem_malloc(sizeof *mine);
    theirs = shmem_ptr(mine, t_right());
    CHECK(theirs != NULL);
    if (left_out(&theirs) != -1) {
        CHECK_EQ(left_out(mine), 0);
        CHECK_EQ(left_out(&variable), 0);
        CHECK_EQ(left_out(theirs), 1);
        theirs = shmem_ptr(&variable, t_right());
        CHECK(theirs == NULL || left_out(theirs) == 1);
    }
    return t_done();
}
