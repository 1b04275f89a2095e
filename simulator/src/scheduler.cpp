#include "scheduler.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "device_fault.hpp"
#include "failure.hpp"

namespace cupool::simulator {

class Operation {
public:
    std::function<void()> work;
    AfterFault after_fault = AfterFault::skip;
    std::size_t unfinished_predecessors = 0;
    Operations successors;
    bool done = false;
    Clock::time_point finished;
};

namespace {

void run(const Operation& operation) {
    if (device_fault() != abi::Result::success && operation.after_fault == AfterFault::skip) {
        return;
    }
    try {
        operation.work();
    } catch (const Failure& failure) {
        raise_device_fault(failure.result);
    } catch (const std::bad_alloc&) {
        raise_device_fault(abi::Result::out_of_memory);
    }
}

/// Threads come as operations are ready while all others are busy, so that no operation ever waits for a thread
/// that another, waiting for it, holds. They live as long as the process.
class Scheduler {
public:
    OperationPointer schedule(std::function<void()> work, const Operations& predecessors, AfterFault after_fault) {
        auto operation = std::make_shared<Operation>();
        operation->work = std::move(work);
        operation->after_fault = after_fault;
        const std::lock_guard lock(mutex_);
        for (const OperationPointer& predecessor : predecessors) {
            if (predecessor && !predecessor->done) {
                predecessor->successors.push_back(operation);
                ++operation->unfinished_predecessors;
            }
        }
        if (operation->unfinished_predecessors == 0) {
            start(operation);
        }
        return operation;
    }

    bool is_done(const OperationPointer& operation) {
        const std::lock_guard lock(mutex_);
        return operation->done;
    }

    Clock::time_point time_of(const OperationPointer& operation) {
        const std::lock_guard lock(mutex_);
        return operation->finished;
    }

    void wait_for(const Operations& operations) {
        std::unique_lock lock(mutex_);
        for (const OperationPointer& operation : operations) {
            if (operation) {
                finished_.wait(lock, [&] { return operation->done; });
            }
        }
    }

private:
    void start(const OperationPointer& operation) {
        if (!operation->work) {
            finish(operation);
            return;
        }
        ready_.push_back(operation);
        if (ready_.size() > idle_threads_) {
            std::thread([this] { serve(); }).detach();
        }
        became_ready_.notify_one();
    }

    void finish(const OperationPointer& operation) {
        Operations unstarted{operation};
        while (!unstarted.empty()) {
            const OperationPointer current = std::move(unstarted.back());
            unstarted.pop_back();
            current->done = true;
            current->finished = Clock::now();
            for (const OperationPointer& successor : current->successors) {
                if (--successor->unfinished_predecessors > 0) {
                    continue;
                }
                if (successor->work) {
                    start(successor);
                } else {
                    unstarted.push_back(successor);
                }
            }
            current->successors.clear();
        }
        finished_.notify_all();
    }

    void serve() {
        std::unique_lock lock(mutex_);
        while (true) {
            ++idle_threads_;
            became_ready_.wait(lock, [&] { return !ready_.empty(); });
            --idle_threads_;
            const OperationPointer operation = std::move(ready_.front());
            ready_.pop_front();
            lock.unlock();
            run(*operation);
            operation->work = nullptr;
            lock.lock();
            finish(operation);
        }
    }

    std::mutex mutex_;
    std::condition_variable became_ready_;
    std::condition_variable finished_;
    std::deque<OperationPointer> ready_;
    std::size_t idle_threads_ = 0;
};

// Never destroyed: its threads may outlive main().
Scheduler& scheduler() {
    static auto* const instance = new Scheduler;
    return *instance;
}

}  // namespace

OperationPointer schedule(std::function<void()> work, const Operations& predecessors, AfterFault after_fault) {
    return scheduler().schedule(std::move(work), predecessors, after_fault);
}

bool is_done(const OperationPointer& operation) { return scheduler().is_done(operation); }

Clock::time_point time_of(const OperationPointer& operation) { return scheduler().time_of(operation); }

void wait_for(const Operations& operations) { scheduler().wait_for(operations); }

}  // namespace cupool::simulator
