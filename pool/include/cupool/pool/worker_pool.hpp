#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cupool/driver/error.hpp>
#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/pool/kernel_work.hpp>
#include <cupool/pool/shared_array.hpp>
#include <functional>
#include <future>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cupool {

namespace detail {
struct WorkerJob;
struct WorkerSetup;
/// Waits for a job's result: at first without sleeping, because waking up takes as long as a small job.
RunReport awaited(std::future<RunReport> result);
}  // namespace detail

/// How a WorkerPool starts and judges its worker processes.
struct WorkerOptions {
    /// The devices, as ordinals of this process's CUDA_VISIBLE_DEVICES; empty: all that a short-lived process finds, which takes as long as
    /// cuInit.
    std::vector<int> devices;
    /// How many processes each device has. Several overlap one's copies with another's kernels, and each has its own context and memory.
    unsigned workers_per_device = 1;
    /// `gpu` requires devices; `automatic` starts one worker on the host's cores where a host has none; `host` always does.
    Engine engine = Engine::automatic;
    /// How many workers a job may lose before it is refused with worker_lost.
    unsigned attempts = 3;
    /// How long a job may run in a worker, and before it the preparation of bases, until the worker counts as hung and is replaced; 0: as
    /// long as it takes.
    std::chrono::milliseconds deadline{0};
    /// How long a worker may take from its start until it is ready.
    std::chrono::milliseconds start_deadline{60'000};
    /// Resident host memory above which a worker is replaced, in bytes, watched while it has a job; 0: no limit.
    std::uint64_t memory_limit = 0;
    /// Calls with at least this many terms are divided into jobs for all devices that are idle: several MSMs of a call between MSMs, and
    /// one MSM of points, but not of prepared bases, between terms. 0: no call is divided. Calls with a bitsize are not divided.
    std::size_t divide_from = std::size_t(1) << 20;
    /// Whether a worker runs only on the CPUs that are nearest to its device (of its NUMA node, as far as this process may use them), which
    /// is where its staging memory should be. Where the system does not tell which these are, it runs on all.
    bool runs_near_device = true;
    /// The worker program. Empty: this program itself, if it has called serve_if_worker(); otherwise `cupool-worker`, beside this program
    /// or on PATH, which knows no functions of the program's own.
    std::string program;
    /// Further variables of the workers' environment, as NAME=VALUE. Of this process's environment they inherit only what they need: PATH,
    /// HOME, TMPDIR, LANG, XDG_CACHE_HOME and what begins with CUDA_, CUPOOL_, NVIDIA_, LD_ or LC_.
    std::vector<std::string> environment;
};

/// What a worker process is doing.
enum class WorkerCondition {
    starting,     ///< its process is starting, for the first time or again
    idle,         ///< ready for a job
    busy,         ///< has a job
    failing,      ///< it has failed several times in a row; the pool tries it again after a pause
    quarantined,  ///< gets no jobs until it is readmitted
};

/// The enumerator's name.
std::string to_string(WorkerCondition condition);
std::ostream& operator<<(std::ostream& out, WorkerCondition condition);

/// What is known of one worker.
struct WorkerStatus {
    int device = -1;                                        ///< ordinal in this process's order; -1 for the host
    std::string device_name;                                ///< as the driver calls it; empty before the worker was first ready
    std::string device_uuid;                                ///< as the driver gives it; empty before the worker was first ready
    int process = -1;                                       ///< its process id; -1 while it has none
    WorkerCondition condition = WorkerCondition::starting;  ///< now
    std::string why;                                        ///< of a failing or quarantined worker: the last cause
    std::uint64_t jobs = 0;                                 ///< that it completed, errors of their own included
    std::uint64_t errors = 0;                               ///< of those, how many ended with an error
    std::uint64_t deaths = 0;                               ///< processes that ended without being asked to
    std::uint64_t retries = 0;                              ///< jobs that it lost and that ran again
    std::uint64_t busy_microseconds = 0;                    ///< that jobs took, from sending to the answer
};

/// All workers, in the order of the pool.
struct WorkerMetrics {
    std::vector<WorkerStatus> workers;  ///< in the order of the pool
};

/// One line for each worker.
std::string to_string(const WorkerMetrics& metrics);
std::ostream& operator<<(std::ostream& out, const WorkerMetrics& metrics);

/// Bases that are used in many MSMs; see WorkerPool::prepare(). Copyable; copies share them.
template <Curve C>
class WorkerBases {
public:
    /// Bases that were never prepared; MSMs over them are invalid_argument.
    WorkerBases() = default;

    /// How many points were given.
    std::size_t size() const noexcept { return size_; }

private:
    friend class WorkerPool;
    WorkerBases(std::size_t size, std::shared_ptr<const detail::WorkerSetup> setup) noexcept : size_(size), setup_(std::move(setup)) {}

    std::size_t size_ = 0;
    std::shared_ptr<const detail::WorkerSetup> setup_;
};

/// A pool of devices, each in the care of a worker process (or of several), that survives what a DevicePool cannot: a device fault, a hang,
/// a crash or a kill costs the job that met it another attempt, in a new process or on another device, and no other job anything.
///
/// The calling process never initialises CUDA: it may fork, become a daemon and be embedded anywhere. Jobs are given to idle workers in the
/// order of their submission; one job runs on one worker, and a large call is divided into several jobs (WorkerOptions::divide_from).
/// Operands in memory that the pool lends (lend()) are not copied; others are copied once into such memory.
///
/// A job is lost only with an error, and reported once: its result, its own error (invalid_argument, out_of_memory, jit_failure ...), or
/// worker_lost after `attempts` workers ended while they did it; the message tells how each of them ended. A worker that ends is replaced
/// at once, after several failures in a row with growing pauses (up to 30 s). While all workers are failing or quarantined, jobs are
/// refused with no_device instead of waiting.
///
/// Operands that are not in lent memory and each array that is lent take a file descriptor until their jobs have ended.
///
/// Copyable: copies share the pool. All members are thread-safe. The last copy waits for the jobs given to it and ends the workers; these
/// also end when this process ends in any way. In a forked child every member throws forked, and destruction does nothing.
class WorkerPool {
public:
    /// Starts the workers and returns when each is ready or has failed for the first time. \throws Error no_device (no device, or none
    /// whose worker starts: the message has their reasons), invalid_device (a named one that is not there), driver_unavailable (its
    /// reason), invalid_argument (a device twice, no worker program, an option out of range), io
    static WorkerPool start(const WorkerOptions& options = {}, SourceLocation where = SourceLocation::current());

    /// How many workers there are, whatever their condition.
    std::size_t worker_count(SourceLocation where = SourceLocation::current()) const;
    /// `gpu`, or `host` where its one worker computes on the host's cores.
    Engine engine(SourceLocation where = SourceLocation::current()) const;
    /// A snapshot.
    WorkerMetrics metrics(SourceLocation where = SourceLocation::current()) const;

    /// Gives a worker no jobs until it is readmitted; a job that it has goes on. \throws Error invalid_argument (no such index)
    void quarantine(std::size_t index, const std::string& why, SourceLocation where = SourceLocation::current()) const;
    /// Ends the quarantine of a worker. \throws Error invalid_argument (no such index)
    void readmit(std::size_t index, SourceLocation where = SourceLocation::current()) const;

    /// Memory for operands that workers read without a copy. \throws Error out_of_memory, io
    template <class T>
    SharedArray<T> lend(std::size_t count, SourceLocation where = SourceLocation::current()) const {
        return SharedArray<T>(lend_bytes(count, sizeof(T), where));
    }

    /// Calls a registered function in a worker (register_worker_function()); the input may have 2^29 bytes, the result 2^30. \return a
    /// future with what it returns; additionally, it fails with invalid_argument where the worker program knows no such function
    std::future<std::vector<std::byte>> call(std::string function, std::span<const std::byte> input,
                                             SourceLocation where = SourceLocation::current()) const;

    /// As cupool::msm() of operands in host memory; config.ctx and config.is_async are ignored, and operands or results on devices are
    /// invalid_argument. Operands that are not in lent memory are copied before it returns; those that are must stay as they are until the
    /// future is ready. The results must live until then, and are written all or none.
    template <Curve C>
    std::future<RunReport> submit_msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                                      std::span<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current()) const;
    /// The same over prepared bases.
    template <Curve C>
    std::future<RunReport> submit_msm(std::span<const Scalar> scalars, const WorkerBases<C>& bases, const MsmConfig& config,
                                      std::span<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current()) const;
    /// One MSM, or as many over the same points as there are results; waits for it.
    template <Curve C>
    RunReport msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points, const MsmConfig& config,
                  std::span<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current()) const {
        return detail::awaited(submit_msm<C>(scalars, points, config, results, where));
    }
    /// The same over prepared bases.
    template <Curve C>
    RunReport msm(std::span<const Scalar> scalars, const WorkerBases<C>& bases, const MsmConfig& config,
                  std::span<JacobianPoint<C>> results, SourceLocation where = SourceLocation::current()) const {
        return detail::awaited(submit_msm<C>(scalars, bases, config, results, where));
    }

    /// Prepares bases for many MSMs (see PreparedBases): every worker prepares them before its first job over them, and again after a
    /// restart, from a copy that the pool keeps in lent memory. config.ctx is ignored. Errors of the preparation come out of the jobs.
    template <Curve C>
    WorkerBases<C> prepare(std::span<const AffinePoint<C>> points, const PrepareConfig& config,
                           SourceLocation where = SourceLocation::current()) const;
    /// The same without a copy that is kept: `give_points` writes the `count` points, the same ones each time, whenever a worker prepares
    /// them, into memory that is released when it has. It is called by threads of the pool, by several at a time, and must use neither the
    /// pool nor a lock that is held while a job is waited for; what it throws is the error of the job. \throws Error invalid_argument (no
    /// callback), out_of_memory
    template <Curve C>
    WorkerBases<C> prepare(std::size_t count, std::function<void(std::span<AffinePoint<C>>)> give_points, const PrepareConfig& config,
                           SourceLocation where = SourceLocation::current()) const;

    /// As cupool::reduce() of an operand in host memory, in one worker.
    template <class T, class R>
    requires ReduceResult<R, T> RunReport reduce(std::span<const T> input, ReduceOperation operation, R& result,
                                                 SourceLocation where = SourceLocation::current())
    const;

    /// run_kernel() in a worker.
    std::future<KernelOutputs> submit_kernel(const KernelWork& work, SourceLocation where = SourceLocation::current()) const;

private:
    class State;
    explicit WorkerPool(std::shared_ptr<State> state);
    State& state(const SourceLocation& where) const;
    std::shared_ptr<const detail::SharedMemory> lend_bytes(std::size_t count, std::size_t element, const SourceLocation& where) const;

    std::shared_ptr<State> state_;
};

}  // namespace cupool
