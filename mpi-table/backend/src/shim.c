/* What the crate `mpi` lacks: constants that are macros, numbers in one MPI and addresses in another, and a callback at
 * the end of MPI. */
#include <mpi.h>
#include <stddef.h>

const MPI_Op oshmpi_mpi_replace = MPI_REPLACE;
const MPI_Op oshmpi_mpi_no_op = MPI_NO_OP;
void *const oshmpi_mpi_in_place = MPI_IN_PLACE;
const int oshmpi_mpi_err_other = MPI_ERR_OTHER;
const int oshmpi_mpi_err_truncate = MPI_ERR_TRUNCATE;
const int oshmpi_mpi_mode_nocheck = MPI_MODE_NOCHECK;

int oshmpi_mpi_is_unified(MPI_Win win)
{
    int *model, there;
    return PMPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &there) == MPI_SUCCESS && there && *model == MPI_WIN_UNIFIED;
}

static void (*is_ending)(void);

static int self_is_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    is_ending();
    return MPI_SUCCESS;
}

/* MPI deletes the attributes of MPI_COMM_SELF first. */
int oshmpi_mpi_tell_end(void (*then)(void))
{
    int key, code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, self_is_deleted, &key, NULL);
    is_ending = then;
    return code != MPI_SUCCESS ? code : PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}
