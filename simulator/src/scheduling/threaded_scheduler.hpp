#pragma once

#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

/// Runs all ready operations concurrently, each on its own thread; only predecessors determine the order.
class ThreadedScheduler : public Scheduler {
public:
    void pass_call(Time slowdown) override;

protected:
    void reserve_for_one_more() override;
    void start(const OperationPointer& operation) noexcept override;
    Time now() const override;
    void block_until_done(const Operations& operations) override;

private:
    void add_thread();
    void serve();

    // A thread is added when an operation is ready and all threads are busy, so that no operation waits for a thread of an operation that
    // waits for it. Threads live as long as the process.
    std::condition_variable became_ready_;
    OperationQueue ready_;
    /// Number of threads that are not running an operation.
    std::size_t idle_threads_ = 0;
};

}  // namespace cupool::simulator
