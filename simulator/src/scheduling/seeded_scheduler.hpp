#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "device/device.hpp"
#include "ptx/random.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

/// A discrete-event simulation with a virtual clock; runs one operation at a time.
///
/// A ready operation starts after a random delay, does all its work at that instant, and is done when its duration has elapsed. The seed
/// determines the delay and the jitter of the duration. Each driver call advances the clock by a random amount and returns when everything
/// due by then has happened; a call that waits advances the clock to the awaited event. The speed of the host therefore does not matter,
/// and a program with one host thread replays exactly.
///
/// A program that waits without calling the driver does not hang: after a quarter of a second without calls the clock advances by itself,
/// and a host function that takes longer than that no longer blocks other operations. Such programs may not replay exactly.
class SeededScheduler : public Scheduler {
public:
    /// Restarts the clock at zero. Nothing may be queued.
    void begin(std::uint64_t seed);

    void pass_call(Time slowdown) override;

    /// Adds a line with the current time to the log.
    void note(std::initializer_list<std::string_view> pieces) noexcept;

    /// The log since begin(): a line for each note and each operation.
    std::string log();

protected:
    void reserve_for_one_more() override;
    void start(const OperationPointer& operation) noexcept override;
    Time now() const override { return clock_; }
    void block_until_done(const Operations& operations) override;

private:
    // A scheduled event: the start or end of an operation.
    struct Step {
        Time time;
        std::uint64_t number;  ///< sequence number; breaks ties
        OperationPointer operation;
        bool ends;

        friend bool operator>(const Step& a, const Step& b) { return std::pair(a.time, a.number) > std::pair(b.time, b.number); }
    };
    // A thread that waits for operations.
    struct Waiting {
        const Operations* operations;
        Waiting* next;
    };
    using Lock = std::unique_lock<std::mutex>;

    void serve();
    void wait_for_a_step(Lock& lock);
    bool is_asked_for() const;
    bool is_due() const;
    bool is_awaited() const;
    void take_step(Lock& lock);
    void run(const OperationPointer& operation, Lock& lock);
    void run_host_function(const OperationPointer& operation, std::uint64_t seed, Lock& lock);
    void end_later(const OperationPointer& operation, Time duration);
    void add_step(Time time, const OperationPointer& operation, bool ends) noexcept;
    void ensure_worker();
    void write(std::initializer_list<std::string_view> pieces) noexcept;

    ptx::Random random_{0};
    Time clock_{0};
    /// The host's time: everything up to it may happen.
    Time host_clock_{0};
    /// A heap with the next step first. Each unfinished operation has at most one step, for which capacity is reserved.
    std::vector<Step> agenda_;
    std::uint64_t steps_made_ = 0;
    Waiting* waiting_ = nullptr;
    /// For each device, when its started kernels will be done.
    std::array<Time, max_devices> busy_until_{};
    bool is_running_ = false;
    /// The process of the worker thread: a forked child does not have it.
    pid_t worker_process_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t calls_seen_ = 0;
    int quiet_ticks_ = 0;
    std::string log_;
    /// A line was lost for lack of memory.
    bool is_log_incomplete_ = false;
};

SeededScheduler& seeded_scheduler();

}  // namespace cupool::simulator
