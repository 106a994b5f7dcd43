/* A setting that decides how PEs reach each other and is not the same on all of them: the job ends with a message,
 * and does not hang in a barrier at which not all PEs arrive. Arguments: a setting, and its value on the odd PEs. */
#include "check.h"

int main(int argc, char **argv)
{
    const char *ranks[] = {"PMI_RANK", "PMIX_RANK"}, *rank = NULL;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !rank; i++)
        rank = getenv(ranks[i]);
    if (argc < 3 || !rank) {
        fprintf(stderr, "what differs, and who am I?\n");
        return 2;
    }
    if (atoi(rank) % 2 == 1)
        setenv(argv[1], argv[2], 1);
    t_init();
    return t_done();
}
