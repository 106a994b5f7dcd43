/* Constants that are numbers in one MPI and addresses in another, beyond those that the crate `mpi` brings. */
#include <mpi.h>

const MPI_Op oshmpi_mpi_replace = MPI_REPLACE;
const MPI_Op oshmpi_mpi_no_op = MPI_NO_OP;
