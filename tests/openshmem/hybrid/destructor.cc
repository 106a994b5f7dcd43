/* MPI is ended by the destructor of a static object, which runs after all exit handlers that the program registers.
 * rules: 267 */
#define T_NO_STATICS
#include "check.h"

#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <mpi.h>

namespace {

struct Mpi {
    ~Mpi()
    {
        int up = 0, done = 0;
        MPI_Initialized(&up);
        MPI_Finalized(&done);
        if (up && !done && MPI_Finalize() != MPI_SUCCESS)
            std::abort();
    }
} mpi;

} // namespace

int main(int argc, char **argv)
{
    bool mpi_first = argc > 1 && !strcmp(argv[1], "first");
    t_alarm();
    if (mpi_first)
        MPI_Init(nullptr, nullptr);
    shmem_init();
    t_begin();
    if (!mpi_first)
        MPI_Init(nullptr, nullptr);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(size, t_npes);
    return t_done();
}
