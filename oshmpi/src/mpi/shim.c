/* What the crate `mpi` lacks: constants that are numbers in one MPI and addresses in another, and a callback at the end
 * of MPI. */
#include <mpi.h>
#include <stddef.h>

const MPI_Op oshmpi_mpi_replace = MPI_REPLACE;
const MPI_Op oshmpi_mpi_no_op = MPI_NO_OP;
void *const oshmpi_mpi_in_place = MPI_IN_PLACE;

/* Whether loads and stores see what a window's operations have done, and the other way (MPI_WIN_UNIFIED). */
int oshmpi_mpi_is_unified(MPI_Win win)
{
    int *model, there;
    return PMPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &there) == MPI_SUCCESS && there && *model == MPI_WIN_UNIFIED;
}

/* Defined in life.rs. */
void oshmpi_mpi_is_ending(void);

static int self_is_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    oshmpi_mpi_is_ending();
    return MPI_SUCCESS;
}

/* Arranges that MPI calls oshmpi_mpi_is_ending when MPI ends, whoever ends it. MPI deletes the attributes of
 * MPI_COMM_SELF first, while all of MPI still works. */
int oshmpi_mpi_tell_end(void)
{
    int key, code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, self_is_deleted, &key, NULL);
    return code != MPI_SUCCESS ? code : PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}
