/* owners.hpp: part of shmem.hpp: what is released at the end of a scope. Include shmem.hpp instead. */
#ifndef OSHMPI_OWNERS_HPP
#define OSHMPI_OWNERS_HPP

#include <oshmpi/routines.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

namespace shmem {

enum class thread : int {
    single = SHMEM_THREAD_SINGLE,
    funneled = SHMEM_THREAD_FUNNELED,
    serialized = SHMEM_THREAD_SERIALIZED,
    multiple = SHMEM_THREAD_MULTIPLE
};

/* OpenSHMEM is up while one of these lives. */
class runtime {
public:
    runtime() { shmem_init(); }
    /* Throws std::runtime_error when the library cannot be initialised. */
    explicit runtime(thread wanted)
    {
        int level;
        if (shmem_init_thread(static_cast<int>(wanted), &level))
            throw std::runtime_error("shmem_init_thread failed");
    }
    ~runtime() { shmem_finalize(); }
    runtime(const runtime &) = delete;
    runtime &operator=(const runtime &) = delete;

    /* The level in force, which may be lower than the one wanted. */
    static thread level()
    {
        int provided;
        shmem_query_thread(&provided);
        return static_cast<thread>(provided);
    }
};

/* Where `dest` of another PE of this node lies for loads and stores, or null. */
template <typename T> T *ptr(T *dest, int pe) { return static_cast<T *>(shmem_ptr(dest, pe)); }
template <typename T> T *ptr(shmem_team_t team, T *dest, int pe)
{
    return static_cast<T *>(shmem_team_ptr(team, dest, pe));
}

/* An array on the symmetric heap, zeroed. Made and released by all PEs together, with the same length. */
template <typename T> class symmetric {
    static_assert(detail::movable<T>, "other PEs write to it byte by byte");

public:
    using value_type = T;
    using iterator = T *;
    using const_iterator = const T *;

    symmetric() = default;
    /* Throws std::bad_alloc, on all PEs alike, when the heap has no room. */
    explicit symmetric(std::size_t n) : data_(static_cast<T *>(zeroed(n))), size_(n)
    {
        if (n > 0 && !data_)
            throw std::bad_alloc();
    }
    symmetric(symmetric &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {
    }
    symmetric &operator=(symmetric &&other) noexcept
    {
        symmetric(std::move(other)).swap(*this);
        return *this;
    }
    /* An empty one releases nothing: it may live longer than the library. So do the owners below. */
    ~symmetric()
    {
        if (data_)
            shmem_free(data_);
    }

    void swap(symmetric &other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }
    T *data() { return data_; }
    const T *data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T &operator[](std::size_t i) { return data_[i]; }
    const T &operator[](std::size_t i) const { return data_[i]; }
    T *begin() { return data_; }
    T *end() { return data_ + size_; }
    const T *begin() const { return data_; }
    const T *end() const { return data_ + size_; }
    /* The array of another PE of this node, for loads and stores, or null. */
    T *on(int pe) { return ptr(data_, pe); }

private:
    static void *zeroed(std::size_t n)
    {
        if constexpr (alignof(T) <= alignof(std::max_align_t)) {
            return shmem_calloc(n, sizeof(T));
        } else {
            /* shmem_calloc knows of no larger alignment. */
            if (n > std::numeric_limits<std::size_t>::max() / sizeof(T))
                return nullptr;
            void *at = shmem_align(alignof(T), n * sizeof(T));
            if (at) {
                std::memset(at, 0, n * sizeof(T));
                /* Nobody writes into it before all is zero. */
                shmem_barrier_all();
            }
            return at;
        }
    }

    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/* A team of the program's own. A PE that is no member has an empty one. */
class team {
public:
    team() = default;
    /* All members of the parent together: its PEs start, start + stride, ... Throws std::runtime_error on all. */
    static team strided(shmem_team_t parent, int start, int stride, int size)
    {
        team made;
        if (shmem_team_split_strided(parent, start, stride, size, nullptr, 0, &made.handle_))
            throw std::runtime_error("shmem_team_split_strided failed");
        return made;
    }
    /* Rows of xrange PEs: the own row and the own column. */
    static std::pair<team, team> grid(shmem_team_t parent, int xrange)
    {
        std::pair<team, team> made;
        if (shmem_team_split_2d(parent, xrange, nullptr, 0, &made.first.handle_, nullptr, 0, &made.second.handle_))
            throw std::runtime_error("shmem_team_split_2d failed");
        return made;
    }
    team(team &&other) noexcept : handle_(std::exchange(other.handle_, SHMEM_TEAM_INVALID)) {}
    team &operator=(team &&other) noexcept
    {
        team taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~team()
    {
        if (handle_ != SHMEM_TEAM_INVALID)
            shmem_team_destroy(handle_);
    }

    operator shmem_team_t() const { return handle_; }
    explicit operator bool() const { return handle_ != SHMEM_TEAM_INVALID; }
    int my_pe() const { return shmem_team_my_pe(handle_); }
    int n_pes() const { return shmem_team_n_pes(handle_); }
    /* The number that a member has in another team, or -1. */
    int translate(int pe, shmem_team_t to = SHMEM_TEAM_WORLD) const { return shmem_team_translate_pe(handle_, pe, to); }

private:
    shmem_team_t handle_ = SHMEM_TEAM_INVALID;
};

/* A context. Local: nobody else takes part. It must end before its team, whose end destroys it. */
class context {
public:
    /* Throws std::runtime_error when no context can be made. */
    explicit context(long options = 0, shmem_team_t team = SHMEM_TEAM_WORLD)
    {
        if (shmem_team_create_ctx(team, options, &handle_))
            throw std::runtime_error("shmem_team_create_ctx failed");
    }
    context(context &&other) noexcept : handle_(std::exchange(other.handle_, SHMEM_CTX_INVALID)) {}
    context &operator=(context &&other) noexcept
    {
        context taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~context()
    {
        if (handle_ != SHMEM_CTX_INVALID)
            shmem_ctx_destroy(handle_);
    }

    operator shmem_ctx_t() const { return handle_; }
    void quiet() const { shmem_ctx_quiet(handle_); }
    void fence() const { shmem_ctx_fence(handle_); }

private:
    shmem_ctx_t handle_ = SHMEM_CTX_INVALID;
};

/* Announces many operations on a context for as long as it lives. */
class session {
public:
    explicit session(shmem_ctx_t ctx, long options = 0) : ctx_(ctx)
    {
        shmem_ctx_session_start(ctx, options, nullptr, 0);
    }
    ~session() { shmem_ctx_session_stop(ctx_); }
    session(const session &) = delete;
    session &operator=(const session &) = delete;

private:
    shmem_ctx_t ctx_;
};

/* Holds a symmetric lock. */
class lock_guard {
public:
    explicit lock_guard(long *lock) : lock_(lock) { shmem_set_lock(lock); }
    ~lock_guard() { shmem_clear_lock(lock_); }
    lock_guard(const lock_guard &) = delete;
    lock_guard &operator=(const lock_guard &) = delete;

private:
    long *lock_;
};

/* A collective that was started. It is complete at the latest when this ends. */
class request {
public:
    request() = default;
    /* `start` writes the C request. */
    template <typename Start> explicit request(Start start) { start(&req_); }
    request(request &&other) noexcept : req_(std::exchange(other.req_, SHMEMX_REQ_INVALID)) {}
    request &operator=(request &&other) noexcept
    {
        request taken(std::move(other));
        std::swap(req_, taken.req_);
        return *this;
    }
    ~request() { wait(); }

    /* Whether it is complete. */
    bool test() { return req_ == SHMEMX_REQ_INVALID || shmemx_req_test(&req_) == 0; }
    void wait()
    {
        if (req_ != SHMEMX_REQ_INVALID)
            shmemx_req_wait(&req_);
    }

private:
    shmemx_req_t req_ = SHMEMX_REQ_INVALID;
};

} // namespace shmem

#endif
