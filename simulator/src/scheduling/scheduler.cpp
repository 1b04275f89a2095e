#include "scheduling/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "api/failure.hpp"
#include "faults/device_fault.hpp"
#include "scheduling/seeded_scheduler.hpp"
#include "scheduling/threaded_scheduler.hpp"

namespace cupool::simulator {
namespace {

std::atomic<std::uint64_t> the_seed{0};

bool is_unfinished(const OperationPointer& operation) { return operation && !operation->done; }

bool runs_nothing(const Work& work) { return work.kind != Work::Kind::release && device_fault(work.device) != abi::Status::success; }

void make_room_for_one_more(Operations& operations) {
    if (operations.size() == operations.capacity()) {
        operations.reserve(2 * operations.size() + 1);
    }
}

}  // namespace

void OperationQueue::push(OperationPointer operation) noexcept {
    OperationPointer& end = last_ == nullptr ? first_ : last_->next;
    last_ = operation.get();
    end = std::move(operation);
    ++size_;
}

OperationPointer OperationQueue::pop() noexcept {
    OperationPointer operation = std::move(first_);
    first_ = std::move(operation->next);
    last_ = first_ == nullptr ? nullptr : last_;
    --size_;
    return operation;
}

OperationPointer Scheduler::schedule(Work work, const Operations& predecessors) {
    auto operation = std::make_shared<Operation>();
    operation->work = std::move(work);
    assign_order(*operation, predecessors);
    const std::lock_guard lock(mutex_);
    if (operation->work.run) {
        reserve_for_one_more();
    }
    queue_behind(predecessors, operation);
    ++unfinished_;
    operation->unfinished_predecessors += operation->work.is_held ? 1 : 0;
    if (operation->unfinished_predecessors > 0) {
        return operation;
    }
    if (operation->work.run) {
        start(operation);
    } else {
        finish(operation);
    }
    return operation;
}

void Scheduler::queue_behind(const Operations& predecessors, const OperationPointer& operation) {
    for (const OperationPointer& predecessor : predecessors) {
        if (is_unfinished(predecessor)) {
            make_room_for_one_more(predecessor->successors);
        }
    }
    for (const OperationPointer& predecessor : predecessors) {
        const bool is_new = is_unfinished(predecessor) && (predecessor->successors.empty() || predecessor->successors.back() != operation);
        if (is_new) {
            predecessor->successors.push_back(operation);
            ++operation->unfinished_predecessors;
        }
    }
}

void Scheduler::release(const OperationPointer& held) {
    const std::lock_guard lock(mutex_);
    reserve_for_one_more();
    if (--held->unfinished_predecessors == 0) {
        finish(held);
    }
}

void Scheduler::cancel(const OperationPointer& held, const Operations& behind) noexcept {
    const std::lock_guard lock(mutex_);
    for (const OperationPointer& operation : behind) {
        operation->work.run = nullptr;
    }
    if (--held->unfinished_predecessors == 0) {
        finish(held);
    }
}

bool Scheduler::is_done(const OperationPointer& operation) {
    const std::lock_guard lock(mutex_);
    if (operation->done) {
        note_seen_by_host(*operation);
    }
    return operation->done;
}

void Scheduler::wait_for(const Operations& operations) {
    block_until_done(operations);
    for (const OperationPointer& operation : operations) {
        if (operation) {
            note_seen_by_host(*operation);
        }
    }
}

Time Scheduler::time_of(const OperationPointer& operation) {
    const std::lock_guard lock(mutex_);
    return operation->finished;
}

void Scheduler::finish(const OperationPointer& operation) noexcept {
    OperationQueue finished;
    finished.push(operation);
    while (!finished.empty()) {
        const OperationPointer current = finished.pop();
        --unfinished_;
        current->done = true;
        current->finished = now();
        for (const OperationPointer& successor : current->successors) {
            if (--successor->unfinished_predecessors > 0) {
                continue;
            }
            if (successor->work.run) {
                start(successor);
            } else {
                finished.push(successor);
            }
        }
        current->successors.clear();
    }
    changed_.notify_all();
}

bool Scheduler::are_done(const Operations& operations) {
    return std::all_of(operations.begin(), operations.end(),
                       [](const OperationPointer& operation) { return !operation || operation->done; });
}

Time perform(Operation& operation, std::uint64_t seed) {
    const auto run = std::exchange(operation.work.run, nullptr);
    if (runs_nothing(operation.work)) {
        return {};
    }
    if (operation.work.kind == Work::Kind::host_function && !operation.work.waits_for_value) {
        note_seen_by_host(operation);  // a host function may notify the host
    }
    const RunningOperation scope(operation);
    try {
        return run(seed);
    } catch (...) {
        raise_fault_of(operation);
    }
    return {};
}

void raise_fault_of(const Operation& operation) {
    const abi::Status result = status_of_current_exception();
    const bool is_shortage = result == abi::Status::out_of_memory || result == abi::Status::operating_system;
    const Report shortage{"the simulated driver had no memory or no thread for ", operation.work.name};
    raise_device_fault_of(operation.work.device, result, is_shortage ? shortage : Report{});
}

// Never destroyed: their threads may outlive main().
Scheduler& scheduler() {
    if (the_seed != 0) {
        return seeded_scheduler();
    }
    static auto* const threaded = new ThreadedScheduler;
    return *threaded;
}

void set_seed(std::uint64_t seed) {
    if (seed != 0) {
        seeded_scheduler().begin(seed);
    }
    the_seed = seed;
}

std::uint64_t current_seed() { return the_seed; }

std::string seed_suffix() { return the_seed == 0 ? "" : ", seed " + std::to_string(the_seed); }

}  // namespace cupool::simulator
