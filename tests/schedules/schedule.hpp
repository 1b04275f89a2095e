#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace cupool::test {

/// Runs the threads of this process one at a time, in an order that a seed determines.
///
/// From its construction to end() one thread has the token and runs: at first the calling one. Every thread that such a thread creates
/// takes part. Each of their calls of a pthread function, a futex, the clock or sleep is a schedule point (pthread_calls.cpp replaces
/// these functions), where the generator chooses who runs on. Mutexes are really locked, so that a forked child finds them as it would
/// without a schedule; conditions, futexes, joins and time are modelled. A timed wait may end at any point, and time moves only here.
///
/// Threads that wait for each other for ever, or never come to an end, end the process with a report of what each is at.
class Schedule {
public:
    /// Where a child is forked, and what does it.
    struct Forks {
        std::function<bool(std::uint64_t point)> is_due;  ///< asked at each point
        std::function<void()> fork;                       ///< forks, awaits the child and returns in the parent alone
    };
    class Thread;

    /// \param name  what the report of a failure calls the run
    Schedule(std::uint64_t seed, std::string name, Forks forks);
    /// \pre end() has been called
    ~Schedule();
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;

    /// Waits for all threads to end; from then on calls go to the system again.
    void end();

    std::uint64_t points() const { return points_; }
    std::uint64_t forks() const { return forked_; }
    /// Of who was at which call, in order: the same for two runs of a seed.
    std::uint64_t trace_hash() const { return hash_; }

    /// The calling thread's, where it takes part; null elsewhere, and in a child that was forked.
    static Schedule* current();

    // What the replaced functions do on a thread that takes part. Results are those of the functions.
    void yield();
    int lock(pthread_mutex_t* mutex);
    int try_lock(pthread_mutex_t* mutex);
    int unlock(pthread_mutex_t* mutex);
    int read_lock(pthread_rwlock_t* lock);
    int write_lock(pthread_rwlock_t* lock);
    int unlock(pthread_rwlock_t* lock);
    /// \param deadline  in nanoseconds of now(); none: no time limit
    int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::optional<std::int64_t> deadline);
    void notify(const void* object, std::uint64_t count);
    /// \return whether it was woken; it may not be, only where there is a deadline
    bool wait_for_change(const void* object, const std::uint32_t* word, std::uint32_t value, std::optional<std::int64_t> deadline);
    int create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument);
    int join(pthread_t thread, void** result);
    void sleep_until(std::int64_t time);
    std::int64_t now();

    /// Fails where threads wait for a condition that is being destroyed, also in a forked child, which would wait for them.
    static void check_destroyed(const pthread_cond_t* condition);

private:
    static void* run_thread(void* thread);
    static void* run_forker(void* thread);
    Thread& self() const;
    Thread& add(std::string name);
    int start(Thread& thread, pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*));
    void finish(Thread& thread);
    void point(const char* doing, const void* object = nullptr);
    bool block(const char* doing, const void* object, std::optional<std::int64_t> deadline = std::nullopt);
    void wake(const void* object, std::uint64_t count);
    void acquire(const char* doing, const void* object, const std::function<int()>& attempt);
    void fork_here();
    Thread& choose();
    void give_token_to(Thread& next);
    bool others_have_ended() const;
    void note(const char* doing);
    std::uint64_t below(std::uint64_t bound) { return generator_() % bound; }
    [[noreturn]] void fail(const std::string& why) const;

    std::string name_;
    Forks forks_;
    pid_t process_;
    std::mt19937_64 generator_;
    std::uint64_t changes_;  // after so many of 16 points whoever can runs on
    std::vector<std::unique_ptr<Thread>> threads_;
    std::map<const void*, int> holders_;  // of mutexes: the numbers of threads, for the report
    Thread* forker_ = nullptr;
    const Thread* forking_ = nullptr;
    bool is_ending_ = false;
    std::int64_t now_;
    std::uint64_t points_ = 0;
    std::uint64_t forked_ = 0;
    std::uint64_t hash_ = 1469598103934665603U;
};

}  // namespace cupool::test
