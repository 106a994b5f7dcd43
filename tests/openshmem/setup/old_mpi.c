/* The program has an MPI of its own, which is too old or lacks what the library calls. A job that needs MPI ends with a
 * line, and one that needs none does not look at it.
 * rules: 57 */
#include "check.h"

int PMPI_Get_version(int *version, int *subversion);

int PMPI_Get_version(int *version, int *subversion)
{
    const char *told = getenv("T_MPI");
    *version = told ? atoi(told) : 2;
    *subversion = 2;
    return 0;
}

int main(void)
{
    t_init();
    return t_done();
}
