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

/// The worker threads of a pool's members, one each, and the work that waits for them (WorkQueues). A thread starts with the first piece
/// that it may do. Safe from any thread.
class Workers {
public:
    /// What a pool lets its workers do. Nothing of it throws.
    struct Hooks {
        std::function<void(std::size_t member)> prepare;        ///< called first on each thread
        std::function<bool(std::size_t member)> can_take_over;  ///< whether the device works; called on its idle thread, may take long
        std::function<void(std::size_t, std::size_t)> on_move;  ///< from one member to another; called under the workers' lock
    };

    Workers(std::size_t members, Hooks hooks);
    ~Workers() { finish(); }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Of the leases that pieces have.
    void set_balancer(LoadBalancer& balancer);

    /// \throws Error io where the system gives no thread. Where it throws, the piece is not done.
    void post(std::size_t member, PieceOfWork piece);

    /// Lets what may move of a member's waiting work go to others: it is quarantined.
    void redistribute(std::size_t member) noexcept;
    /// Lets members without work look whether there is some that they may take over: one was readmitted.
    void look_again() noexcept;

    /// Does all work that waits, on the calling thread, where it need not wait for what the workers are at.
    void do_waiting();

    /// Returns when all work is done and the threads have ended; not to be called by a piece of work. Nothing may be posted
    /// afterwards.
    void finish();

private:
    struct Member {
        std::thread thread;
        std::condition_variable changed;
        bool is_idle = false;    ///< its thread waits
        double opens_again = 0;  ///< when a device that could not be opened is tried again
    };

    void start(std::size_t member);
    bool try_start(std::size_t member) noexcept;
    void wake_idle() noexcept;
    void wake_all() noexcept;
    void serve(std::size_t member);
    void open_for_takeover(std::unique_lock<std::mutex>& lock, std::size_t member);
    std::optional<PieceOfWork> next(std::size_t member);
    double time_to_wait(std::size_t member) const;
    void wait(std::unique_lock<std::mutex>& lock, std::size_t member);

    Hooks hooks_;
    std::mutex mutex_;
    WorkQueues queues_;
    std::vector<std::unique_ptr<Member>> members_;
    bool closed_ = false;
};

}  // namespace cupool::detail
