#include "scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "device_fault.hpp"
#include "failure.hpp"
#include "seeded_scheduler.hpp"
#include "threaded_scheduler.hpp"

namespace cupool::simulator {
namespace {

std::atomic<std::uint64_t> the_seed{0};

bool runs_nothing(const Work& work) { return work.kind != Work::Kind::release && device_fault(work.device) != abi::Result::success; }

}  // namespace

OperationPointer Scheduler::schedule(Work work, const Operations& predecessors) {
    auto operation = std::make_shared<Operation>();
    operation->work = std::move(work);
    place(*operation, predecessors);
    const std::lock_guard lock(mutex_);
    for (const OperationPointer& predecessor : predecessors) {
        if (predecessor && !predecessor->done) {
            predecessor->successors.push_back(operation);
            ++operation->unfinished_predecessors;
        }
    }
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

bool Scheduler::is_done(const OperationPointer& operation) {
    const std::lock_guard lock(mutex_);
    if (operation->done) {
        note_known(*operation);
    }
    return operation->done;
}

void Scheduler::wait_for(const Operations& operations) {
    block_until_done(operations);
    for (const OperationPointer& operation : operations) {
        if (operation) {
            note_known(*operation);
        }
    }
}

Time Scheduler::time_of(const OperationPointer& operation) {
    const std::lock_guard lock(mutex_);
    return operation->finished;
}

void Scheduler::finish(const OperationPointer& operation) {
    Operations unfinished{operation};
    while (!unfinished.empty()) {
        const OperationPointer current = std::move(unfinished.back());
        unfinished.pop_back();
        current->done = true;
        current->finished = now();
        for (const OperationPointer& successor : current->successors) {
            if (--successor->unfinished_predecessors > 0) {
                continue;
            }
            if (successor->work.run) {
                start(successor);
            } else {
                unfinished.push_back(successor);
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
        note_known(operation);  // which may tell the host
    }
    const RunningOperation scope(operation);
    try {
        return run(seed);
    } catch (const Failure& failure) {
        raise_device_fault_of(operation.work.device, failure.result);
    } catch (const std::bad_alloc&) {
        raise_device_fault_of(operation.work.device, abi::Result::out_of_memory);
    }
    return {};
}

// Neither is ever destroyed: their threads may outlive main().
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
