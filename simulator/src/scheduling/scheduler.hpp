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

/// An operation of a device; it runs when all its predecessors are done.
class Operation;
using OperationPointer = std::shared_ptr<Operation>;
using Operations = std::vector<OperationPointer>;

/// Time since an arbitrary epoch: of the host's steady clock or, with a seed, of the virtual clock.
using Time = std::chrono::nanoseconds;

/// The work of an operation. Without `run` the operation only orders others.
struct Work {
    enum class Kind {
        copy,           ///
        set,            ///
        kernel,         ///< one at a time per device on the virtual clock
        host_function,  ///< may wait for anything, including the host
        release,        ///< the driver's bookkeeping; runs even on a faulted device, which runs nothing else
    };

    Kind kind = Kind::copy;
    /// For the log: "copy of 16 bytes", "kernel store".
    std::string name;
    /// Does the work and returns its duration on the device. A Failure that it throws becomes the device's fault. `seed` determines random
    /// choices within this operation; 0 means none.
    std::function<Time(std::uint64_t seed)> run;
    int device = 0;
    /// Differs from `device` if the work is part of a graph that was launched on a stream of another device.
    int device_of_stream = 0;
    unsigned stream = 0;
    /// The work ends when memory has a value that another stream may write.
    bool waits_for_value = false;
    /// The operation does not begin before Scheduler::release().
    bool is_held = false;
};

/// FIFO queue of operations; an intrusive list, so that push cannot fail.
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

/// Runs operations after their predecessors. Subclasses decide when and on which thread a ready operation runs.
///
/// Memory and threads are acquired while a call queues work, so that the call can fail without effect. A shortage later, on a thread of the
/// scheduler, becomes a device fault.
class Scheduler {
public:
    Scheduler() = default;
    virtual ~Scheduler() = default;
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Queues work after `predecessors` (null pointers are ignored) and returns at once. If it throws, nothing has been queued.
    OperationPointer schedule(Work work, const Operations& predecessors);

    /// Lets a held operation begin. If it throws, the operation is still held.
    void release(const OperationPointer& held);

    /// Cancels a held operation and the operations scheduled after it.
    void cancel(const OperationPointer& held, const Operations& behind) noexcept;

    bool is_done(const OperationPointer& operation);

    /// When the operation finished. The operation must be done.
    Time time_of(const OperationPointer& operation);

    /// Blocks until all operations are done; null pointers count as done.
    void wait_for(const Operations& operations);

    /// Called once per driver call; `slowdown` is the planned extra duration of the call.
    virtual void pass_call(Time slowdown) = 0;

protected:
    /// Acquires the resources to run one more operation. Called under the lock; may throw.
    virtual void reserve_for_one_more() = 0;
    /// Starts an operation that has work and whose predecessors are done. Called under the lock.
    virtual void start(const OperationPointer& operation) noexcept = 0;
    virtual Time now() const = 0;
    virtual void block_until_done(const Operations& operations) = 0;

    /// Marks the operation as done and starts successors that are ready. Called under the lock.
    void finish(const OperationPointer& operation) noexcept;

    static bool are_done(const Operations& operations);

    /// Number of queued operations that are not done.
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
    /// Link of an OperationQueue.
    OperationPointer next;
};

/// Runs the work of an operation once, unless its device has a fault. Errors become the device's fault.
Time perform(Operation& operation, std::uint64_t seed);

/// Turns the exception that is being handled, which prevented the operation from running, into a device fault.
void raise_fault_of(const Operation& operation);

/// The active scheduler: SeededScheduler if a seed is set, else ThreadedScheduler.
Scheduler& scheduler();

/// 0 means no seed. Nothing may be queued when it changes.
void set_seed(std::uint64_t seed);
std::uint64_t current_seed();

/// The end of a report: ", seed 7", or empty without a seed.
std::string seed_suffix();

}  // namespace cupool::simulator
