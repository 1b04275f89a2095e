#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace cupool::simulator {

/// A piece of work of a device: it runs once everything it comes after is done.
class Operation;
using OperationPointer = std::shared_ptr<Operation>;
using Operations = std::vector<OperationPointer>;
using Clock = std::chrono::steady_clock;

/// What becomes of an operation that is reached after a device fault.
enum class AfterFault {
    skip,  ///< a faulted device runs nothing
    run,   ///< the driver's own bookkeeping
};

/// Queues work behind `predecessors` (null ones are ignored) and returns at once. Work that is empty only orders others.
/// Whatever operations are ready run at the same time, each on a thread of its own: order comes from predecessors alone.
/// A Failure that the work throws is the device's fault.
OperationPointer schedule(std::function<void()> work, const Operations& predecessors, AfterFault after_fault = AfterFault::skip);

bool is_done(const OperationPointer& operation);

/// When the operation was done. Only for one that is.
Clock::time_point time_of(const OperationPointer& operation);

/// Blocks until all are done; null ones are.
void wait_for(const Operations& operations);

}  // namespace cupool::simulator
