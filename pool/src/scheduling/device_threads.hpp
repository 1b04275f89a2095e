#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduling/work_queues.hpp"

namespace cupool::detail {

/// The threads of a pool's members, one each, and their queues (WorkQueues). A thread starts when the first task is queued that it may
/// run. Thread-safe.
class DeviceThreads {
public:
    /// What the threads call. No hook throws.
    struct Hooks {
        std::function<void(std::size_t member)> prepare;        ///< called once at the start of each thread
        std::function<bool(std::size_t member)> can_take_over;  ///< whether the device works; called on its idle thread; may take long
        std::function<void(std::size_t, std::size_t)> on_move;  ///< from one member to another; called while the lock is held
    };

    DeviceThreads(std::size_t members, Hooks hooks);
    ~DeviceThreads() { finish(); }
    DeviceThreads(const DeviceThreads&) = delete;
    DeviceThreads& operator=(const DeviceThreads&) = delete;

    /// \param balancer  gives the leases of the tasks
    void set_balancer(LoadBalancer& balancer);

    /// Queues a task. \throws Error io if the system refuses a thread; then the task does not run.
    void post(std::size_t member, QueuedTask task);

    /// Moves the movable tasks of a member, which was quarantined, to others.
    void redistribute(std::size_t member) noexcept;
    /// Lets idle members look for tasks to take over, after one was readmitted.
    void look_again() noexcept;

    /// Runs all queued tasks on the calling thread, so that they do not wait for the running ones.
    void do_waiting();

    /// Returns when all tasks and threads have ended. Not to be called by a task. No task may be posted afterwards.
    void finish();

private:
    struct Member {
        std::thread thread;
        std::condition_variable changed;
        bool is_idle = false;    ///< its thread waits for a task
        double opens_again = 0;  ///< when to try again a device that could not be opened
    };

    void start(std::size_t member);
    bool try_start(std::size_t member) noexcept;
    void wake_idle() noexcept;
    void wake_all() noexcept;
    void serve(std::size_t member);
    void open_for_takeover(std::unique_lock<std::mutex>& lock, std::size_t member);
    std::optional<QueuedTask> next(std::size_t member);
    double time_to_wait(std::size_t member) const;
    void wait(std::unique_lock<std::mutex>& lock, std::size_t member);

    Hooks hooks_;
    std::mutex mutex_;
    WorkQueues queues_;
    std::vector<std::unique_ptr<Member>> members_;
    bool closed_ = false;
};

}  // namespace cupool::detail
