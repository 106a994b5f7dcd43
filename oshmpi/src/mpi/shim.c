/* What the crate `mpi` does not bring: constants that are numbers in one MPI and addresses in another, and the end of
 * MPI, seen from inside. */
#include <mpi.h>
#include <stddef.h>

const MPI_Op oshmpi_mpi_replace = MPI_REPLACE;
const MPI_Op oshmpi_mpi_no_op = MPI_NO_OP;
void *const oshmpi_mpi_in_place = MPI_IN_PLACE;

/* In life.rs. */
void oshmpi_mpi_is_ending(void);

static int self_is_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    oshmpi_mpi_is_ending();
    return MPI_SUCCESS;
}

/* Has oshmpi_mpi_is_ending called when MPI ends, whoever ends it: attributes of MPI_COMM_SELF are deleted first, and all of
 * MPI still works then. */
int oshmpi_mpi_tell_end(void)
{
    int key, code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, self_is_deleted, &key, NULL);
    return code != MPI_SUCCESS ? code : PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}
