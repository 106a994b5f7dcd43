/* A setting that decides how PEs reach each other and is not the same on all of them: the job ends with a message,
 * and does not hang in a barrier at which not all PEs arrive. Arguments: a setting, and its value on the odd PEs.
 * rules: U54 */
#include "check.h"

int main(int argc, char **argv)
{
    if (argc < 3 || t_launched_as() < 0) {
        fprintf(stderr, "what differs, and who am I?\n");
        return 2;
    }
    if (t_launched_as() % 2 == 1)
        setenv(argv[1], argv[2], 1);
    t_init();
    return t_done();
}
