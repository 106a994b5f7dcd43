/* A matrix of complex numbers, spread over all PEs by rows, is transposed, and transposed back. What it shows:
 * shmem.hpp, the C++ templates: a symmetric array that its owner releases, puts of std::complex, a reduction.
 *
 *     oshc++ -std=c++17 -O2 transpose.cc -o transpose && oshrun -n 4 ./transpose
 */
#include <complex>
#include <cstdio>
#include <shmem.hpp>
#include <utility>

using Number = std::complex<double>;

/* Rows of PE `pe` when `all` rows are spread over n PEs: from .first up to, not including, .second. */
static std::pair<long, long> rows_of(int pe, int n, long all)
{
    return {all * pe / n, all * (pe + 1) / n};
}

/* Puts this PE's rows of a size x size matrix into the columns of all PEs' `to`. */
static void transpose(Number *to, const Number *from, long size)
{
    const int me = shmem::my_pe(), n = shmem::n_pes();
    const auto [first, last] = rows_of(me, n, size);
    for (int k = 0; k < n; k++) {
        const int pe = (me + k) % n; // not all PEs to the same one first
        const auto [top, bottom] = rows_of(pe, n, size);
        // Column c of mine becomes a part of row c over there: strided here, consecutive there.
        for (long c = top; c < bottom; c++)
            shmem::iput(to + (c - top) * size + first, from + c, 1, size, std::size_t(last - first), pe);
    }
    shmem::barrier_all(); // all parts have arrived
}

static Number element(long row, long column)
{
    return {double(row), 0.5 * double(column)};
}

int main()
{
    shmem::runtime job;
    const long size = 250;
    const int me = shmem::my_pe(), n = shmem::n_pes();
    const auto [first, last] = rows_of(me, n, size);

    // Symmetric memory has one length on all PEs: that of the largest part.
    const std::size_t length = std::size_t((size + n - 1) / n * size);
    shmem::symmetric<Number> a(length), b(length);
    for (long r = first; r < last; r++)
        for (long c = 0; c < size; c++)
            a[std::size_t((r - first) * size + c)] = element(r, c);
    shmem::barrier_all();

    shmem::symmetric<long> wrong(1), all_wrong(1);
    transpose(b.data(), a.data(), size);
    for (long r = first; r < last; r++)
        for (long c = 0; c < size; c++)
            wrong[0] += b[std::size_t((r - first) * size + c)] != element(c, r);
    transpose(a.data(), b.data(), size);
    for (long r = first; r < last; r++)
        for (long c = 0; c < size; c++)
            wrong[0] += a[std::size_t((r - first) * size + c)] != element(r, c);

    shmem::sum_reduce(SHMEM_TEAM_WORLD, all_wrong.data(), wrong.data(), 1);
    if (me == 0)
        std::printf("%s: %ld x %ld complex numbers transposed and back on %d PEs, %ld wrong\n",
                    all_wrong[0] ? "WRONG" : "ok", size, size, n, all_wrong[0]);
    return all_wrong[0] != 0;
}
