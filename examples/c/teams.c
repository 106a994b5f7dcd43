/* The PEs as a grid: a team per row and a team per column, and collectives on them. What it shows: how teams are
 * created and destroyed, PE numbers in a team, and their translation between teams.
 *
 * PE (r, c) has the value r * 100 + c. The sums along rows and columns are checked with a formula.
 *
 *     oshcc teams.c -o teams && oshrun -n 4 ./teams
 */
#include <shmem.h>
#include <stdio.h>

static long value, row_sum, column_sum, failures, all_failures;

int main(void)
{
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();

    /* As square as possible; the last row may be shorter. */
    int width = 1;
    while (width * width < n)
        width++;
    shmem_team_t row, column;
    if (shmem_team_split_2d(SHMEM_TEAM_WORLD, width, NULL, 0, &row, NULL, 0, &column)) {
        fprintf(stderr, "teams: the split failed\n");
        shmem_global_exit(1);
    }

    /* My place in the grid: the number of a PE in its row's team is its column, and the other way round. */
    const int c = shmem_team_my_pe(row), r = shmem_team_my_pe(column);
    failures += me != r * width + c;
    value = r * 100 + c;
    shmem_sum_reduce(row, &row_sum, &value, 1);
    shmem_sum_reduce(column, &column_sum, &value, 1);

    const long in_row = shmem_team_n_pes(row), in_column = shmem_team_n_pes(column);
    failures += row_sum != in_row * r * 100 + in_row * (in_row - 1) / 2;
    failures += column_sum != in_column * c + 100 * in_column * (in_column - 1) / 2;

    /* Remote access with a team's numbers: translate to the world's. The first PE of my row, seen from the world: */
    const int head = shmem_team_translate_pe(row, 0, SHMEM_TEAM_WORLD);
    failures += head != r * width;
    shmem_barrier_all();
    failures += shmem_g(&value, head) != r * 100;

    /* A PE that is no member of a team gets SHMEM_TEAM_INVALID. Here: the PEs with even numbers. */
    shmem_team_t even;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, NULL, 0, &even);
    failures += (even != SHMEM_TEAM_INVALID) != (me % 2 == 0);
    if (even != SHMEM_TEAM_INVALID) {
        failures += shmem_team_my_pe(even) != me / 2;
        shmem_team_destroy(even);
    }

    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_failures, &failures, 1);
    if (me == 0)
        printf("%s: %d PEs, rows of %d; the first row's sum is %ld, the first column's %ld\n",
               all_failures ? "WRONG" : "ok", n, width, row_sum, column_sum);
    shmem_team_destroy(column);
    shmem_team_destroy(row);
    shmem_finalize();
    return all_failures != 0;
}
