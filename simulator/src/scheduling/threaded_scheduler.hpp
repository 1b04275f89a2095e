#pragma once

#include "scheduling/scheduler.hpp"

namespace cupool::simulator {

/// Runs at the same time whatever is ready, each operation on a thread of its own: order comes from predecessors alone.
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

    // Threads come as operations are ready while all others are busy, so that no operation ever waits for a thread
    // that another, waiting for it, holds. They live as long as the process.
    std::condition_variable became_ready_;
    OperationQueue ready_;
    /// Those that have been started and are not running an operation.
    std::size_t idle_threads_ = 0;
};

}  // namespace cupool::simulator
