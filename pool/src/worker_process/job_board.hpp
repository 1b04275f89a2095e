#pragma once

#include <cstddef>
#include <cupool/pool/worker_pool.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "file_descriptor.hpp"
#include "worker_job.hpp"

namespace cupool::detail {

/// Which worker has which job, and what is known of each worker. A job is on the board from its submission to its end. Thread-safe.
class JobBoard {
public:
    /// \param devices  the ordinal of each worker \throws Error io
    explicit JobBoard(const std::vector<int>& devices);

    /// Gives a job to an idle worker, preferably of the device with the fewest busy ones, or lets it wait. \throws Error no_device where no
    /// worker takes jobs
    void submit(std::unique_ptr<WorkerJob> job);
    /// The same for several jobs, of which either all are taken or none. \pre there is at least one
    void submit(std::vector<std::unique_ptr<WorkerJob>> jobs);

    /// How many devices have idle workers and no busy ones.
    std::size_t idle_device_count() const;

    /// From now on is_finished() becomes true when the last job ends.
    void close();

    WorkerMetrics metrics() const;
    void quarantine(std::size_t worker, const std::string& why);
    void readmit(std::size_t worker);

    /// A descriptor that has input when a worker's supervisor should look at the board.
    int wake_descriptor(std::size_t worker) const noexcept { return wakes_[worker].number(); }

    // The following are for the worker's supervisor.

    /// The job that the worker is to do now; null where it has none, and is idle.
    std::unique_ptr<WorkerJob> next_job(std::size_t worker);
    /// Whether the board is closed and empty: the worker is to end.
    bool is_finished() const;
    void set_starting(std::size_t worker, int process);
    void set_ready(std::size_t worker, const std::string& device_name, const std::string& device_uuid);
    void set_failing(std::size_t worker, const std::string& why);
    /// The worker's process has ended: a job that it was to begin goes to another, or waits.
    void count_death(std::size_t worker);
    /// A job has ended, with an error or without: the worker gets another one, or is idle.
    void count_end(std::size_t worker, std::chrono::microseconds time, bool is_error);
    /// Takes back a job whose worker has died: it goes before all that wait.
    void retry(std::size_t worker, std::unique_ptr<WorkerJob> job);
    /// A job has ended by the loss of its last worker.
    void count_refusal();

private:
    struct Worker {
        WorkerStatus status;
        bool is_quarantined = false;
        std::string quarantined_because;
        std::unique_ptr<WorkerJob> assigned;

        bool takes_jobs() const noexcept { return !is_quarantined && status.condition != WorkerCondition::failing; }
        bool is_idle() const noexcept { return !is_quarantined && status.condition == WorkerCondition::idle; }
    };
    using Jobs = std::vector<std::unique_ptr<WorkerJob>>;

    /// The idle worker that should get the next job; null where none is idle.
    Worker* most_idle_worker();
    std::size_t busy_workers_of(int device) const;
    /// \param at_front  before all that wait
    void place(std::unique_ptr<WorkerJob> job, bool at_front);
    /// What waits, where no worker takes jobs any more; else nothing.
    Jobs take_unserved();
    /// Fails these jobs. Releases the lock.
    void end_unserved(std::unique_lock<std::mutex> lock);
    /// Gives a worker without a job the one that has waited longest, or lets it be idle. \pre its process takes jobs
    void give_next_job(Worker& worker);
    /// Gives back the job that a worker without a process was to begin.
    void place_assigned(Worker& worker);
    std::string reasons() const;
    void end_one();
    void wake(std::size_t worker) const noexcept;

    mutable std::mutex mutex_;
    std::vector<FileDescriptor> wakes_;
    std::vector<Worker> workers_;
    std::deque<std::unique_ptr<WorkerJob>> waiting_;
    std::size_t unfinished_ = 0;
    bool is_closed_ = false;
};

}  // namespace cupool::detail
