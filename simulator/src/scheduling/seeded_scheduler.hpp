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

/// A discrete-event simulation: one operation at a time, and a virtual clock.
///
/// An operation that is ready starts a while later, does all its work at that moment, and is done when its duration is over; the seed
/// decides how long that while is, and how much the duration varies. Each call of the host moves the clock on, by an amount of the seed
/// too, and returns when all that was due has happened; a call that waits moves the clock to what it waits for. Thus the host's own speed
/// does not matter, and a program with one host thread replays byte for byte.
///
/// Nobody hangs who waits for what no call of his can bring about: when the host calls nothing for a quarter of a second, the clock runs
/// on by itself; a host function that takes longer than that no longer holds up the rest. Such programs need not replay exactly.
class SeededScheduler : public Scheduler {
public:
    /// At time zero of a new clock. Nothing may be queued.
    void begin(std::uint64_t seed);

    void pass_call(Time slowdown) override;

    /// Adds a line to the log, of something that happens now.
    void note(std::initializer_list<std::string_view> pieces) noexcept;

    /// A line for each note and each operation, since begin().
    std::string log();

protected:
    void reserve_for_one_more() override;
    void start(const OperationPointer& operation) noexcept override;
    Time now() const override { return clock_; }
    void block_until_done(const Operations& operations) override;

private:
    // What is going to happen: an operation starts, or ends.
    struct Step {
        Time time;
        std::uint64_t number;  ///< how many were made before
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
    /// How far the host's calls have come: everything up to here may happen.
    Time host_clock_{0};
    /// A heap: the next step is first. Each unfinished operation has one step at most, for which there is room.
    std::vector<Step> agenda_;
    std::uint64_t steps_made_ = 0;
    Waiting* waiting_ = nullptr;
    /// When the kernels that have started on a device will be done.
    std::array<Time, max_devices> busy_until_{};
    bool is_running_ = false;
    /// Where the worker is: a forked child lacks it.
    pid_t worker_process_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t calls_seen_ = 0;
    int quiet_ticks_ = 0;
    std::string log_;
    /// There was no memory for some line.
    bool is_log_incomplete_ = false;
};

SeededScheduler& seeded_scheduler();

}  // namespace cupool::simulator
