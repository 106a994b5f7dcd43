/* Open MPI that was built without UCX: the library leaves it the kinds of windows that it has, and the program makes
 * one. Such an Open MPI is played: the directory of its components has links to all of them but UCX's windows.
 * rules: 36 */
#define _GNU_SOURCE
#include "check.h"
#include <mpi.h>

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>

static char made[] = "/tmp/no_osc_ucx_XXXXXX";

static void remove_made(void)
{
    DIR *dir = opendir(made);
    for (struct dirent *one; dir && (one = readdir(dir));)
        unlinkat(dirfd(dir), one->d_name, 0);
    closedir(dir);
    rmdir(made);
}

/* Components lie in a directory below that of the library, as Debian has them. */
static void play(void)
{
    char file[PATH_MAX], at[PATH_MAX + 300];
    int left_out = 0;
    Dl_info info;
    DIR *dir = NULL;
    if (dladdr((void *)MPI_Win_create, &info) && realpath(info.dli_fname, file)) {
        strcpy(strrchr(file, '/'), "/openmpi/lib/openmpi3");
        dir = opendir(file);
    }
    if (!dir || !mkdtemp(made) || chdir(made) != 0)
        T_DIE("no components are found in %s", file);
    for (struct dirent *one; (one = readdir(dir));) {
        snprintf(at, sizeof at, "%s/%s", file, one->d_name);
        if (strcmp(one->d_name, "mca_osc_ucx.so") == 0)
            left_out = 1;
        else if (strncmp(one->d_name, "mca_", 4) == 0 && symlink(at, one->d_name) != 0)
            T_DIE("%s cannot be linked", at);
    }
    closedir(dir);
    if (!left_out || setenv("OMPI_MCA_mca_base_component_path", made, 1) != 0)
        T_DIE("%s has no windows of UCX", file);
}

int main(int argc, char **argv)
{
    static long here;
    long one = 1;
    MPI_Win win;
    play();
    t_init();
    if (MPI_Init(&argc, &argv) != 0)
        T_DIE("no MPI");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Win_create(&here, sizeof here, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_LONG, (t_me + 1) % t_npes, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    CHECK_EQ(here, 1);
    MPI_Win_free(&win);
    int code = t_done();
    MPI_Finalize();
    remove_made();
    return code;
}
