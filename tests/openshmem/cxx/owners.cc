/* shmem.hpp: owners release what they hold once, moved or not; memory comes back; job and locks end with their scope;
 * empty owners may outlive it. Requests: *_nb, sync_nb, barrier_all_nb.
 * rules: 6 58 */
#include "check.h"

#include <shmem.hpp>

#include <optional>

namespace {

template <typename E, typename Act> bool throws(Act act)
{
    try {
        act();
    } catch (const E &) {
        return true;
    }
    return false;
}

/* These end after shmem_finalize, and hold nothing by then. */
shmem::symmetric<double> late_array, never_an_array;
shmem::team late_team, never_a_team;
std::optional<shmem::context> late_context, assigned_context;

void outlive()
{
    late_array = shmem::symmetric<double>(10);
    late_team = shmem::team::strided(SHMEM_TEAM_WORLD, 0, 1, t_npes);
    late_context.emplace();
    assigned_context.emplace();
    {
        shmem::symmetric<double> array(20);
        shmem::team team = shmem::team::strided(SHMEM_TEAM_WORLD, 0, 1, t_npes);
        shmem::context context = std::move(*late_context), other;
        CHECK(late_array.size() == 10 && late_team && context != SHMEM_CTX_INVALID);
        /* What was held before goes now, and not when the other owner goes. */
        array = std::move(late_array);
        team = std::move(late_team);
        other = std::move(*assigned_context);
        CHECK(array.size() == 10 && team && other != SHMEM_CTX_INVALID);
    }
    CHECK(late_array.empty() && !late_team && *late_context == SHMEM_CTX_INVALID); // NOLINT
    CHECK(*assigned_context == SHMEM_CTX_INVALID);                                 // NOLINT
    CHECK(never_an_array.empty() && !never_a_team);
}

void memory()
{
    void *first;
    {
        shmem::symmetric<double> a(1000);
        first = a.data();
        CHECK(a.size() == 1000 && a[999] == 0 && a.end() - a.begin() == 1000);
        shmem::symmetric<double> b = std::move(a);
        CHECK(a.empty() && a.data() == nullptr && b.data() == first); // NOLINT: what a moved-from owner holds
        a = shmem::symmetric<double>(10);
        b = std::move(a);
        CHECK_EQ(b.size(), 10);
        shmem::symmetric<double> nothing(0), never;
        CHECK(nothing.empty() && never.empty());
        CHECK(b.on(t_me) == b.data());
        if (double *there = b.on(t_right()))
            *there = t_me;
        shmem::barrier_all();
        CHECK(!b.on(t_left()) || b[0] == t_left());
        shmem::barrier_all();
    }
    /* All of it came back: the same place is given out again, more than once. */
    for (int i = 0; i < 3; i++) {
        shmem::symmetric<char> most(size_t(400) << 20);
        CHECK_PTR(most.data(), first);
    }
    CHECK(throws<std::bad_alloc>([] { shmem::symmetric<char> more(size_t(1) << 40); }));
}

struct alignas(256) Apart {
    long word;
};

void alignment()
{
    for (int n = 1; n < 4; n++) {
        shmem::symmetric<char> shift(size_t(n) * 64); /* so that not every place is aligned by chance */
        memset(shift.data(), 1, shift.size());
        shmem::symmetric<Apart> cells(n);
        CHECK_EQ(uintptr_t(cells.data()) % alignof(Apart), 0);
        CHECK_FILL(cells.data(), 0, n * sizeof(Apart));
        shmem::barrier_all();
    }
    shmem::symmetric<Apart> nothing(0);
    CHECK(nothing.empty());
    CHECK(throws<std::bad_alloc>([] { shmem::symmetric<Apart> more(SIZE_MAX / 2); }));
}

void teams()
{
    for (int i = 0; i < 300; i++) { /* more than exist at a time */
        auto [row, column] = shmem::team::grid(SHMEM_TEAM_WORLD, 2);
        CHECK_EQ(row.my_pe(), t_me % 2);
        CHECK_EQ(column.translate(column.my_pe()), t_me);
        shmem::team moved = std::move(row);
        CHECK(moved && !row); // NOLINT
        row = std::move(moved);
        CHECK(row && !moved); // NOLINT
        shmem::context ctx(0, row);
        shmem_team_t of;
        CHECK_EQ(shmem_ctx_get_team(ctx, &of), 0);
        CHECK(of == row);
    }
    shmem::team first = shmem::team::strided(SHMEM_TEAM_WORLD, 0, 1, 1);
    CHECK((first ? 1 : 0) == (t_me == 0));
    CHECK_EQ(first.n_pes(), t_me == 0 ? 1 : -1);
    CHECK(throws<std::runtime_error>([] { shmem::team::strided(SHMEM_TEAM_WORLD, 0, 1, t_npes + 1); }));
}

long lock, guarded;

void locks()
{
    for (int i = 0; i < 20; i++) {
        shmem::lock_guard held(&lock);
        shmem::p(&guarded, shmem::g(&guarded, 0) + 1, 0);
    }
    shmem::barrier_all();
    CHECK_EQ(shmem::g(&guarded, 0), 20 * t_npes);
}

void contexts()
{
    static long word;
    shmem::context a(SHMEM_CTX_PRIVATE), b = std::move(a);
    {
        shmem::session many(b, SHMEM_CTX_SESSION_BATCH);
        for (int i = 0; i < 100; i++)
            shmem::atomic_inc(b, &word, 0);
    }
    b.fence();
    b.quiet();
    shmem::fence();
    shmem::fence(b);
    shmem::quiet(b);
    const int zero = 0;
    shmem::pe_quiet(&zero, 1);
    shmem::pe_quiet(b, &zero, 1);
    shmem::sync_all();
    CHECK_EQ(shmem::atomic_fetch(&word, 0), 100 * t_npes);
    shmem::barrier_all();
}

/* Collectives that go on; a request that is dropped or assigned to is complete. */
void requests()
{
    struct pair {
        int a;
        short b;
    };
    static std::complex<double> z[2], zs[2];
    static pair own, *all;
    static long bits, root, got;
    z[1] = {1.0 * t_me, -1.0};
    own = {t_me, 7};
    bits = 1L << t_me;
    root = 100 + t_me;
    shmem::symmetric<pair> pairs(t_npes);
    all = pairs.data();
    shmem::barrier_all();
    {
        shmem::request sum = shmem::sum_reduce_nb(SHMEM_TEAM_WORLD, zs, z, 2), other;
        auto gathered = shmem::fcollect_nb(SHMEM_TEAM_WORLD, all, &own, 1);
        auto ored = shmem::or_reduce_nb(SHMEM_TEAM_WORLD, &bits, &bits, 1);
        other = shmem::broadcast_nb(SHMEM_TEAM_WORLD, &got, &root, 1, t_npes - 1);
        while (!gathered.test())
            ;
        for (int i = 0; i < t_npes; i++)
            CHECK(all[i].a == i && all[i].b == 7);
        other = std::move(sum);
        CHECK_EQ(got, 100 + t_npes - 1);
        CHECK(sum.test()); // NOLINT: what a moved-from request holds
    }
    CHECK(zs[1] == std::complex<double>(t_npes * (t_npes - 1) / 2, -t_npes));
    CHECK_EQ(bits, (1L << t_npes) - 1);
    shmem::sync_nb(SHMEM_TEAM_WORLD).wait();
    shmem::barrier_all_nb().wait();
}

} // namespace

int main()
{
    t_alarm();
    int up = 0;
    int code;
    {
        shmem::runtime job(shmem::thread::multiple);
        t_begin();
        CHECK(job.level() == shmem::thread::multiple);
        CHECK_EQ(shmem::my_pe(), t_me);
        CHECK_EQ(shmem::n_pes(), t_npes);
        {
            shmem::runtime again;
        }
        shmem_query_initialized(&up);
        CHECK(up);
        memory();
        alignment();
        teams();
        locks();
        contexts();
        requests();
        outlive();
        code = t_agree();
    }
    shmem_query_initialized(&up);
    return up ? 1 : code;
}
