#include "checks/ordering.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "faults/device_fault.hpp"
#include "memory/address_space.hpp"
#include "scheduling/scheduler.hpp"

namespace cupool::simulator {
namespace {

std::atomic<bool> is_checked{false};
thread_local const Operation* running_operation = nullptr;

/// The state of the check besides the clocks of operations and the uses of allocations; all of it is guarded by its lock.
struct Knowledge {
    std::mutex mutex;
    Clock host;
    std::map<Clock::Lane, std::uint64_t> queued;
};

// Never destroyed: operations may outlive main().
Knowledge& knowledge() {
    static auto* const instance = new Knowledge;
    return *instance;
}

/// A lost device is exempt: nothing can be ordered after its operations.
void report_unordered(const Allocation& allocation, const OrderedUses::Use& use) {
    if (device_fault(use.lane.device) != abi::Status::success) {
        return;
    }
    report_finding(allocation.device, {"free of ", std::to_string(allocation.bytes), " bytes of device ", std::to_string(allocation.device),
                                       " that is not ordered after their use by ", use.what, ": nothing makes the free wait for it"});
}

// For bookkeeping after a call has queued its work: a failure must neither abort the call half-way nor pass unnoticed.
template <class Body>
void note_or_raise_fault(Body body) noexcept {
    try {
        body();
    } catch (const std::bad_alloc&) {
        raise_device_fault(abi::Status::out_of_memory, {"no memory for what the check of the order of frees notes"});
    }
}

std::string describe(const Operation& operation) {
    const Work& work = operation.work;
    const std::string stream = "stream " + std::to_string(work.stream) + " of device " + std::to_string(work.device_of_stream);
    return work.device == work.device_of_stream
               ? work.name + " on " + stream
               : work.name + " on device " + std::to_string(work.device) + ", in a graph launched on " + stream;
}

}  // namespace

void Clock::join(const Clock& other) {
    for (const auto& [lane, count] : other.counts_) {
        advance(lane, count);
    }
    for (const Pending& pending : other.pending_) {
        join(pending);
    }
}

// A pending clock that is known by now is merged at once.
void Clock::join(const Pending& pending) {
    if (pending->has_value()) {
        join(**pending);
    } else {
        pending_.insert(pending);
    }
}

void Clock::advance(Lane lane, std::uint64_t count) {
    std::uint64_t& own = counts_[lane];
    own = std::max(own, count);
}

bool Clock::has_reached(Lane lane, std::uint64_t count) const {
    const auto found = counts_.find(lane);
    const bool has_itself = found != counts_.end() && found->second >= count;
    return has_itself || std::any_of(pending_.begin(), pending_.end(),
                                     [&](const Pending& pending) { return pending->has_value() && (*pending)->has_reached(lane, count); });
}

bool Clock::is_pending() const {
    return std::any_of(pending_.begin(), pending_.end(), [](const Pending& pending) { return !pending->has_value(); });
}

void set_ordering_check(bool checks) {
    Knowledge& known = knowledge();
    const std::lock_guard lock(known.mutex);
    known.host = {};
    known.queued.clear();
    is_checked = checks;
}

void assign_order(Operation& operation, const Operations& predecessors) {
    if (!is_checked) {
        return;
    }
    Knowledge& known = knowledge();
    const std::lock_guard lock(known.mutex);
    Order& order = operation.order;
    order.clock = known.host;
    for (const OperationPointer& predecessor : predecessors) {
        if (predecessor) {
            order.clock.join(predecessor->order.clock);
        }
    }
    order.lane = {operation.work.device, operation.work.device_of_stream, operation.work.stream};
    order.count = ++known.queued[order.lane];
    order.clock.advance(order.lane, order.count);
    if (operation.work.waits_for_value) {
        order.pending = std::make_shared<std::optional<Clock>>();
        order.clock.join(order.pending);
    }
}

void note_seen_by_host(const Operation& operation) noexcept {
    if (operation.order.count == 0) {
        return;
    }
    Knowledge& known = knowledge();
    const std::lock_guard lock(known.mutex);
    note_or_raise_fault([&] { known.host.join(operation.order.clock); });
}

RunningOperation::RunningOperation(const Operation& operation) { running_operation = &operation; }

RunningOperation::~RunningOperation() { running_operation = nullptr; }

void note_use(Allocation& allocation) {
    if (!is_checked || running_operation == nullptr || running_operation->order.count == 0) {
        return;
    }
    const Order& order = running_operation->order;
    const std::lock_guard lock(knowledge().mutex);
    OrderedUses& known = allocation.ordered_uses;
    const OrderedUses::Use use{order.lane, order.count, describe(*running_operation)};
    if (known.freed && !known.freed->has_reached(use.lane, use.count)) {
        report_unordered(allocation, use);
    }
    std::erase_if(known.uses, [&](const OrderedUses::Use& earlier) { return earlier.lane == use.lane && earlier.count <= use.count; });
    known.uses.push_back(use);
}

void note_value_written(Allocation& allocation, std::size_t offset) {
    if (is_checked && running_operation != nullptr && running_operation->order.count != 0) {
        const std::lock_guard lock(knowledge().mutex);
        allocation.ordered_uses.values[offset].join(running_operation->order.clock);
    }
}

void note_value_seen(const Allocation& allocation, std::size_t offset) {
    if (is_checked && running_operation != nullptr && running_operation->order.pending) {
        Knowledge& known = knowledge();
        const std::lock_guard lock(known.mutex);
        const auto& values = allocation.ordered_uses.values;
        const auto found = values.find(offset);
        *running_operation->order.pending = found != values.end() ? found->second : known.host;
    }
}

namespace {

// The caller holds the lock.
void free_behind(const Clock& clock, Allocation& allocation) {
    if (clock.is_pending()) {
        return;
    }
    for (const OrderedUses::Use& use : allocation.ordered_uses.uses) {
        if (!clock.has_reached(use.lane, use.count)) {
            report_unordered(allocation, use);
        }
    }
    allocation.ordered_uses.freed = clock;
}

}  // namespace

void note_free(Allocation& allocation, const Operation* by) noexcept {
    if (!is_checked || (by != nullptr && by->order.count == 0)) {
        return;
    }
    Knowledge& known = knowledge();
    const std::lock_guard lock(known.mutex);
    note_or_raise_fault([&] { free_behind(by != nullptr ? by->order.clock : known.host, allocation); });
}

void note_free_done(Allocation& allocation) {
    if (!is_checked || running_operation == nullptr || running_operation->order.count == 0) {
        return;
    }
    const std::lock_guard lock(knowledge().mutex);
    if (!allocation.ordered_uses.freed) {
        free_behind(running_operation->order.clock, allocation);
    }
}

}  // namespace cupool::simulator
