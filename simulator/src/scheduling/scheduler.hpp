#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checks/ordering.hpp"

namespace cupool::simulator {

/// A piece of work of a device: it runs once everything it comes after is done.
class Operation;
using OperationPointer = std::shared_ptr<Operation>;
using Operations = std::vector<OperationPointer>;

/// Since some moment: of the host's steady clock, or of the virtual clock that a seed sets going.
using Time = std::chrono::nanoseconds;

/// What an operation does. Without `run` it only orders others.
struct Work {
    enum class Kind {
        copy,           ///
        set,            ///
        kernel,         ///< one at a time on a device, by the virtual clock
        host_function,  ///< may wait for whatever it likes, the host included
        release,        ///< the driver's own bookkeeping: done also on a faulted device, which else runs nothing
    };

    Kind kind = Kind::copy;
    /// For the log: "copy of 16 bytes", "kernel store".
    std::string name;
    /// Does it, and tells how long a device takes for that. A Failure that it throws is the device's fault.
    /// The seed, of this operation alone, decides what else chance may decide; 0 where there is none.
    std::function<Time(std::uint64_t seed)> run;
    int device = 0;
    /// Another device's where the work is part of a graph that was launched there.
    int device_of_stream = 0;
    unsigned stream = 0;
    /// It ends once memory has a value that another stream may write.
    bool waits_for_value = false;
    /// It does not begin before Scheduler::release().
    bool is_held = false;
};

/// Operations in the order in which they came. They are linked through themselves, so that adding one cannot fail.
class OperationQueue {
public:
    bool empty() const { return first_ == nullptr; }
    std::size_t size() const { return size_; }
    void push(OperationPointer operation) noexcept;
    OperationPointer pop() noexcept;

private:
    OperationPointer first_;
    Operation* last_ = nullptr;
    std::size_t size_ = 0;
};

/// Runs operations behind their predecessors. Which of those that are ready runs when, and on what thread, is the subclasses' affair.
///
/// Memory and threads are got while a call queues work, so that the call can fail and has no effect. What is still found missing on
/// a thread of the scheduler's own is the device's fault.
class Scheduler {
public:
    Scheduler() = default;
    virtual ~Scheduler() = default;
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Queues work behind `predecessors` (null ones are ignored) and returns at once. Where it throws, nothing has been queued.
    OperationPointer schedule(Work work, const Operations& predecessors);

    /// Lets an operation begin that was scheduled as held. Where it throws, the operation is still held.
    void release(const OperationPointer& held);

    /// The same for one that is not to run after all, nor what was scheduled behind it.
    void cancel(const OperationPointer& held, const Operations& behind) noexcept;

    bool is_done(const OperationPointer& operation);

    /// When the operation was done. Only for one that is.
    Time time_of(const OperationPointer& operation);

    /// Blocks until all are done; null ones are.
    void wait_for(const Operations& operations);

    /// The host is in a driver call, which takes `slowdown` longer than such calls do.
    virtual void pass_call(Time slowdown) = 0;

protected:
    /// Gets what one more operation takes to run. Called under the lock; throws.
    virtual void reserve_for_one_more() = 0;
    /// All that the operation came after is done, and it has something to run. Called under the lock.
    virtual void start(const OperationPointer& operation) noexcept = 0;
    virtual Time now() const = 0;
    virtual void block_until_done(const Operations& operations) = 0;

    /// Marks the operation done, and starts what waited for it. Called under the lock.
    void finish(const OperationPointer& operation) noexcept;

    static bool are_done(const Operations& operations);

    /// Queued, and not done.
    std::size_t unfinished_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;

private:
    static void queue_behind(const Operations& predecessors, const OperationPointer& operation);
};

class Operation {
public:
    Work work;
    std::size_t unfinished_predecessors = 0;
    Operations successors;
    bool done = false;
    Time finished{};
    Order order;
    /// In an OperationQueue.
    OperationPointer next;
};

/// Runs the work of an operation, once, unless its device has died. What goes wrong is the device's fault.
Time perform(Operation& operation, std::uint64_t seed);

/// The device's fault where the exception that is being handled keeps its operation from running.
void raise_fault_of(const Operation& operation);

/// The one that is in use: SeededScheduler when a seed is set, else ThreadedScheduler.
Scheduler& scheduler();

/// 0: none. Nothing may be queued when it changes.
void set_seed(std::uint64_t seed);
std::uint64_t current_seed();

/// "seed 7" behind a comma, or nothing without a seed: how reports end.
std::string seed_suffix();

}  // namespace cupool::simulator
