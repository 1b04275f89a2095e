#pragma once

#include <atomic>
#include <chrono>
#include <cupool/kernels/run_report.hpp>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "pool_state.hpp"

namespace cupool::detail {

/// The tasks that a call of msm() or submit_msm() consists of, each for one member. The thread that ends the last task makes the results.
/// No task waits for another one, so that a pool thread never waits for a task in its own queue.
class MsmJob : public std::enable_shared_from_this<MsmJob> {
public:
    struct MemberTask {
        std::size_t member;
        std::function<RunReport(const DeviceContext&)> run;
    };
    /// Makes the results of what the tasks computed, and adds the bytes that it moves to the report.
    using Finish = std::function<void(RunReport& report)>;

    /// \param last  a task that uses several devices: it starts when the others have ended, on the thread that ended the last of them
    /// \param where  the caller's line, which errors name
    MsmJob(PoolState& pool, std::vector<MemberTask> tasks, std::optional<MemberTask> last, Finish finish, const SourceLocation& where);

    /// Gives the tasks to the pool's threads. Call either start() or run(), once. \return the report, or the failure of the first task in
    /// the list that failed, once all tasks have ended
    std::future<RunReport> start();
    /// Returns when the job is done. Runs a single task on the calling thread.
    RunReport run();

private:
    class QueuedTask;

    void run_task(std::size_t number, const DeviceContext& context);
    void end_task(std::size_t number, std::exception_ptr failure) noexcept;
    void end() noexcept;
    RunReport result();

    PoolState& pool_;
    std::vector<MemberTask> tasks_;
    std::optional<MemberTask> last_;
    Finish finish_;
    SourceLocation where_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    // One for each task. Only the task's thread uses its own, until the last task has ended:
    std::vector<RunReport> reports_;
    std::vector<std::exception_ptr> failures_;
    std::atomic<std::size_t> left_;
    std::promise<RunReport> promise_;
};

}  // namespace cupool::detail
