/* As threads.c, for what C++ has of its own: conditions, static variables of functions, what is called once, and
 * thread_local variables with a destructor. */

#include "check.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

enum { ROUNDS = 100, THREADS_IN_TURN = 10 };

static std::mutex mutex;
static std::timed_mutex timed;
static std::condition_variable condition;
static std::once_flag once;
static long count, initialised, ended, racy;
static int turn;

static void run_two(void (*f)(int))
{
    std::thread one(f, 0), other(f, 1);
    one.join();
    other.join();
}

/* `wait`: waits for the own turn. */
template <class Wait> static void in_turn(int me, Wait wait)
{
    for (int i = 0; i < ROUNDS; i++) {
        std::unique_lock<std::mutex> lock(mutex);
        wait(lock, [&] { return turn == me; });
        count++;
        turn = !me;
        condition.notify_one();
    }
}

static void waits(int me)
{
    in_turn(me, [](auto &lock, auto is_turn) { condition.wait(lock, is_turn); });
}

static void waits_for(int me)
{
    in_turn(me, [](auto &lock, auto is_turn) { CHECK(condition.wait_for(lock, std::chrono::seconds(30), is_turn)); });
}

static void locks(int)
{
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(timed.try_lock_for(std::chrono::seconds(30)));
        count++;
        timed.unlock();
    }
}

struct Slow {
    long value;
    Slow()
    {
        value = 5;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
};

static void uses_static(int)
{
    static Slow slow;
    CHECK_EQ(slow.value, 5);
}

static void calls_once(int)
{
    std::call_once(once, [] {
        initialised = 7;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    CHECK_EQ(initialised, 7);
}

struct AtEnd {
    void touch() {}
    ~AtEnd() { ended++; }
};
static thread_local AtEnd at_end;

static void ends()
{
    for (int i = 0; i < THREADS_IN_TURN; i++) {
        std::thread thread([] { at_end.touch(); });
        thread.join();
        ended++;
    }
    CHECK_EQ(ended, 2 * THREADS_IN_TURN);
}

static void races(int)
{
    for (int i = 0; i < ROUNDS; i++)
        racy++;
}

int main(int argc, char **argv)
{
    t_init_thread(SHMEM_THREAD_MULTIPLE);
    run_two(waits);
    run_two(waits_for);
    run_two(locks);
    run_two(uses_static);
    run_two(calls_once);
    ends();
    if (argc > 1 && !strcmp(argv[1], "racy"))
        run_two(races);
    return t_done();
}
