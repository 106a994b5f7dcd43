/* MPI and OpenSHMEM in one program, initialised and finalised in any order. The argument spells the order, after each
 * letter all that is up must work:
 *   M MPI_Init   T MPI_Init_thread(MULTIPLE)   S shmem_init   U shmem_init_thread(MULTIPLE)
 *   s shmem_finalize   m MPI_Finalize
 * A second argument, mpi, says that OpenSHMEM has MPI's thread level, because it needs MPI here.
 * All along, MPI says truly whether it is initialised and finalised, and its clock goes on, without MPI_Init too.
 * rules: 57 59 61 63 64 265 266 267 */
#define T_NO_STATICS
#include "check.h"

#include <mpi.h>

static long box, sum;
static int shmem_up, mpi_up;

static void use_mpi(void)
{
    int rank, size, got = -1, all = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT, (rank + size - 1) % size, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(got, (rank + size - 1) % size);
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQ(all, size * (size - 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void use_shmem(void)
{
    long *heap = shmem_calloc(8, sizeof *heap);
    CHECK(heap != NULL);
    t_begin();
    shmem_long_p(&box, 10 + t_me, t_right());
    shmem_long_p(&heap[7], 20 + t_me, t_right());
    shmem_long_atomic_add(&sum, 1, t_right());
    shmem_barrier_all();
    CHECK_EQ(box, 10 + t_left());
    CHECK_EQ(heap[7], 20 + t_left());
    CHECK_EQ(shmem_long_g(&box, t_me), 10 + t_left());
    CHECK(shmem_long_atomic_fetch(&sum, t_me) > 0);
    /* MPI may use symmetric memory as an ordinary buffer. */
    if (mpi_up) {
        long all[64] = {0};
        CHECK(t_npes <= 64);
        MPI_Allgather(&heap[7], 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
        MPI_Bcast(heap, 8, MPI_LONG, 0, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &box, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
        CHECK_EQ(box, 10);
    }
    shmem_barrier_all();
    shmem_free(heap);
}

/* What MPI_Init and MPI_Finalize of the program have made true; MPI may also be up for OpenSHMEM's sake. */
static void use_nothing(int was_mpi, int is_done)
{
    static double last = -1;
    int flag = -1, inner = -1;
    double now = MPI_Wtime();
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && PMPI_Initialized(&inner) == MPI_SUCCESS);
    CHECK_EQ(!!flag, !!inner);
    CHECK(flag || !was_mpi);
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS);
    CHECK_EQ(!!flag, is_done);
    CHECK(last < 0 || (now > last && now < last + 100));
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 0.01);
    last = now;
}

/* The level told is the one in force. It is the one asked for, MULTIPLE, unless MPI is needed and has less. */
static void check_level(int told, int needs_mpi)
{
    static const int of_mpi[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    int level = -1, has = -1;
    shmem_query_thread(&level);
    CHECK_EQ(level, told);
    if (mpi_up)
        MPI_Query_thread(&has);
    CHECK(level >= 0 && level <= 3 && ((!needs_mpi && level == SHMEM_THREAD_MULTIPLE) || of_mpi[level] == has));
}

static void expect_zero(int code) { CHECK_EQ(code, 0); }

static void up_with_mpi(int code)
{
    CHECK_EQ(code, MPI_SUCCESS);
    mpi_up = 1;
}

int main(int argc, char **argv)
{
    const char *order = argc > 1 ? argv[1] : "MSsm";
    const int needs_mpi = argc > 2 && !strcmp(argv[2], "mpi");
    int level = -1, flag = -1, me_first = 1, was_mpi = 0, is_done = 0;
    t_alarm();
    use_nothing(0, 0);
    for (const char *c = order; *c; c++) {
        switch (*c) {
        case 'M': up_with_mpi(MPI_Init(&argc, &argv)); break;
        case 'T': up_with_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level)); break;
        case 'S': shmem_init(), shmem_up++; break;
        case 'U':
            expect_zero(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level)), shmem_up++, check_level(level, needs_mpi);
            break;
        case 's': shmem_finalize(), shmem_up--; break;
        case 'm': expect_zero(MPI_Finalize()), mpi_up = 0, is_done = 1; break;
        default: fprintf(stderr, "bad letter %c\n", *c); return 2;
        }
        shmem_query_initialized(&flag);
        CHECK_EQ(!!flag, shmem_up > 0);
        was_mpi |= mpi_up;
        use_nothing(was_mpi, is_done);
        if (shmem_up) {
            use_shmem();
            me_first = t_me == 0;
        }
        if (mpi_up)
            use_mpi();
        if (shmem_up)
            use_shmem();
    }
    /* No library is needed any more to agree: each PE answers for itself by its exit code. */
    if (t_failures == 0 && me_first)
        puts("ok");
    return t_failures != 0;
}
