#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "job_board.hpp"
#include "worker_connection.hpp"
#include "xid_watch.hpp"

namespace cupool::detail {

/// Keeps one worker running: a thread that starts its process, gives it the jobs of the board, and starts another process where it ends.
class WorkerSupervisor {
public:
    WorkerSupervisor(JobBoard& board, const XidWatch& xid_watch, std::size_t worker, int device, ChildProcessStart start,
                     const WorkerOptions& options);
    /// Waits for the thread, which ends when the board is finished.
    ~WorkerSupervisor();
    WorkerSupervisor(const WorkerSupervisor&) = delete;
    WorkerSupervisor& operator=(const WorkerSupervisor&) = delete;

    /// Waits until the worker has been ready once, or has failed once. \return the greeting, or why it failed
    std::variant<WorkerGreeting, Error> first_start() { return first_start_.get_future().get(); }

private:
    void run();
    void start_process();
    void do_jobs();
    void do_job(std::unique_ptr<WorkerJob> job);
    CallOutcome call_outcome(const WorkerJob& job);
    void wait_for_job();
    void lose_worker(const std::string& story);
    void lose_job(std::unique_ptr<WorkerJob> job, const WorkerDeath& death);
    void note_start_failure(const Error& why);
    void pause() const;

    JobBoard& board_;
    const XidWatch& xid_watch_;
    const std::size_t worker_;
    const int device_;
    const ChildProcessStart start_;
    const WorkerConnection::Limits limits_;
    const unsigned attempts_;
    const bool runs_near_device_;

    std::optional<WorkerConnection> connection_;
    std::string pci_bus_id_;  ///< of the device, as the worker reports it
    XidWatch::Clock::time_point job_begin_{};
    unsigned start_failures_ = 0;  ///< in a row
    unsigned lost_jobs_ = 0;       ///< different ones in a row
    bool has_started_ = false;
    std::promise<std::variant<WorkerGreeting, Error>> first_start_;
    std::thread thread_;  ///< last, since it uses the others
};

}  // namespace cupool::detail
