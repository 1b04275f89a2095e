#include <algorithm>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/worker_pool.hpp>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <variant>

#include "built_in_functions.hpp"
#include "channel.hpp"
#include "curve/for_each_curve.hpp"
#include "device_census.hpp"
#include "divided_msm.hpp"
#include "job_board.hpp"
#include "worker_messages.hpp"
#include "worker_program.hpp"
#include "worker_registry.hpp"
#include "worker_supervisor.hpp"

namespace cupool {

namespace {

using detail::OperandReference;
using detail::SharedMemory;

/// A worker before its start.
struct PlannedWorker {
    int device = -1;
    std::string visible_entry;  ///< empty: the host
};

void check_options(const WorkerOptions& options, const SourceLocation& where) {
    const auto require = [&](bool is_right, const char* what) {
        if (!is_right) throw Error(ErrorCategory::invalid_argument, what, where);
    };
    require(options.workers_per_device >= 1, "WorkerOptions::workers_per_device is 0");
    require(options.attempts >= 1, "WorkerOptions::attempts is 0");
    require(options.deadline.count() >= 0, "WorkerOptions::deadline is negative");
    require(options.start_deadline.count() > 0, "WorkerOptions::start_deadline is not above 0");
    detail::require_enumerator(options.engine, Engine::host, "Engine", where);
    require(options.engine != Engine::host || options.devices.empty(), "WorkerOptions name devices and the host's engine");
    const std::set<int> different(options.devices.begin(), options.devices.end());
    require(different.size() == options.devices.size(), "WorkerOptions::devices names a device twice");
    require(different.empty() || *different.begin() >= 0, "WorkerOptions::devices has a negative ordinal");
}

using Census = std::variant<std::vector<std::string>, Error>;

Census census_of(const WorkerOptions& options, const std::string& program) {
    return detail::take_census(detail::worker_start(program, options, detail::census_role, {}), options.start_deadline);
}

/// The devices' workers; none where the host has no device.
std::vector<PlannedWorker> plan_devices(const WorkerOptions& options, const std::string& program, const SourceLocation& where) {
    std::vector<PlannedWorker> devices;
    for (const int ordinal : options.devices) devices.push_back({ordinal, detail::visible_entry(ordinal, where)});
    if (devices.empty() && options.engine != Engine::host) {
        const Census census = census_of(options, program);
        if (const Error* const why = std::get_if<Error>(&census)) {
            const bool is_no_device = why->category() == ErrorCategory::no_device || why->category() == ErrorCategory::driver_unavailable;
            if (options.engine == Engine::gpu || !is_no_device) throw why->at(where);
            return {};
        }
        const auto& entries = std::get<std::vector<std::string>>(census);
        for (std::size_t i = 0; i < entries.size(); ++i) devices.push_back({static_cast<int>(i), entries[i]});
    }
    std::vector<PlannedWorker> workers;
    for (const PlannedWorker& device : devices) workers.insert(workers.end(), options.workers_per_device, device);
    return workers;
}

Error no_such_device(int ordinal, std::size_t count, const SourceLocation& where) {
    ErrorDetails details;
    details.category = ErrorCategory::invalid_device;
    details.device = ordinal;
    details.message = "the driver shows " + std::to_string(count) + " device(s), counted from 0";
    return Error(details, where);
}

/// Where workers of devices that the program named have not started: whether the host has these devices. \throws Error as
/// DevicePool::with_devices()
void check_named_devices(const WorkerOptions& options, const std::string& program, bool has_any_worker, const SourceLocation& where) {
    const Census census = census_of(options, program);
    if (const Error* const why = std::get_if<Error>(&census)) {
        if (has_any_worker) return;
        throw why->at(where);
    }
    const std::size_t count = std::get<std::vector<std::string>>(census).size();
    for (const int ordinal : options.devices) {
        if (std::cmp_greater_equal(ordinal, count)) throw no_such_device(ordinal, count, where);
    }
}

/// \param failed  why workers have not started, by their index \throws Error no_device where none has, or as check_named_devices()
void check_starts(const std::map<std::size_t, Error>& failed, std::size_t workers, const WorkerOptions& options, const std::string& program,
                  const SourceLocation& where) {
    const bool has_any_worker = failed.size() < workers;
    if (!failed.empty() && !options.devices.empty()) check_named_devices(options, program, has_any_worker, where);
    if (has_any_worker) return;
    std::string reasons;
    for (const auto& [worker, why] : failed) {
        reasons += (reasons.empty() ? "worker " : "; worker ") + std::to_string(worker) + ": " + detail::text_of(why);
    }
    throw Error(ErrorCategory::no_device, "no worker process starts: " + reasons, where);
}

std::vector<int> ordinals_of(const std::vector<PlannedWorker>& workers) {
    std::vector<int> ordinals;
    for (const PlannedWorker& worker : workers) ordinals.push_back(worker.device);
    return ordinals;
}

RunReport with_device(RunReport report, int device) {
    if (device >= 0) report.devices = {device};
    return report;
}

/// Whether MSMs may be divided over workers. Sizes that contradict each other, and scalars that break the promise of a bitsize, are
/// reported by their numbers in the whole call, so one worker must see all of it.
bool may_be_divided(const MsmConfig& config, std::size_t scalars, std::size_t terms, std::size_t msms) {
    const bool has_work = terms > 0 && msms > 0 && scalars / terms == msms && scalars % terms == 0;
    const bool agrees = (config.batch_size == 0 || std::cmp_equal(config.batch_size, msms)) &&
                        (config.points_size == 0 || std::cmp_equal(config.points_size, terms));
    return has_work && agrees && config.bitsize == 0;
}

MsmConfig config_of_share(MsmConfig config) {
    config.batch_size = 0;
    config.points_size = 0;
    return config;
}

/// \param terms  of each MSM of the whole call
OperandReference scalars_of_share(const OperandReference& scalars, const detail::MsmShare& share, std::size_t terms) {
    // Several MSMs are divided between MSMs, so that the scalars of a share lie one after the other.
    return detail::elements_of<Scalar>(scalars, share.msms.offset * terms + share.terms.offset, share.msms.count * share.terms.count);
}

}  // namespace

class WorkerPool::State {
public:
    using Setups = std::vector<std::shared_ptr<const detail::WorkerSetup>>;

    State(const WorkerOptions& options, const std::string& program, const std::vector<PlannedWorker>& workers)
        : divide_from_(options.divide_from), board_(ordinals_of(workers)) {
        try {
            for (std::size_t i = 0; i < workers.size(); ++i) {
                const char* const role = workers[i].device >= 0 ? detail::gpu_role : detail::host_role;
                supervisors_.push_back(std::make_unique<detail::WorkerSupervisor>(
                    board_, xid_watch_, i, workers[i].device, detail::worker_start(program, options, role, workers[i].visible_entry),
                    options));
            }
        } catch (...) {
            board_.close();
            throw;
        }
        engine_ = workers.front().device >= 0 ? Engine::gpu : Engine::host;
    }
    ~State() { board_.close(); }

    /// Waits until each worker has started or failed to, and begins to watch the devices. \return why workers failed, by their index
    std::map<std::size_t, Error> failed_starts() {
        std::map<std::size_t, Error> failed;
        std::vector<std::string> pci_bus_ids;
        if (engine_ == Engine::gpu) xid_watch_.load();  // while the workers start
        for (std::size_t i = 0; i < supervisors_.size(); ++i) {
            const auto start = supervisors_[i]->first_start();
            if (const Error* const why = std::get_if<Error>(&start)) {
                failed.emplace(i, *why);
            } else {
                pci_bus_ids.push_back(std::get<detail::WorkerGreeting>(start).pci_bus_id);
            }
        }
        if (engine_ == Engine::gpu) xid_watch_.start(pci_bus_ids);
        return failed;
    }

    const detail::ProcessMark& mark() const noexcept { return mark_; }
    detail::JobBoard& board() noexcept { return board_; }
    Engine engine() const noexcept { return engine_; }
    std::size_t worker_count() const noexcept { return supervisors_.size(); }

    void check_index(std::size_t index, const SourceLocation& where) const {
        if (index < supervisors_.size()) return;
        throw Error(ErrorCategory::invalid_argument,
                    "there is no worker " + std::to_string(index) + ": the pool has " + std::to_string(supervisors_.size()), where);
    }

    std::shared_ptr<const SharedMemory> lend(std::size_t bytes) {
        auto memory = std::make_shared<const SharedMemory>(bytes);
        const std::lock_guard lock(mutex_);
        std::erase_if(lent_, [](const auto& item) { return item.second.expired(); });
        if (bytes > 0) lent_[memory->bytes().data()] = memory;
        return memory;
    }

    /// Where workers find an array: where it is, in lent memory, or in a copy. \param memory  gets what holds it
    template <class T>
    OperandReference refer(std::span<const T> array, std::vector<std::shared_ptr<const SharedMemory>>& memory) {
        const std::span<const std::byte> bytes = std::as_bytes(array);
        if (bytes.empty()) return {};
        std::shared_ptr<const SharedMemory> holder = lent_memory_of(bytes);
        if (holder == nullptr) return copy(array, memory);
        memory.push_back(holder);
        return {holder->id(), static_cast<std::uint64_t>(bytes.data() - holder->bytes().data()), array.size()};
    }

    /// Where workers find a copy of an array.
    template <class T>
    static OperandReference copy(std::span<const T> array, std::vector<std::shared_ptr<const SharedMemory>>& memory) {
        const std::span<const std::byte> bytes = std::as_bytes(array);
        if (bytes.empty()) return {};
        memory.push_back(std::make_shared<const SharedMemory>(bytes.size()));
        std::memcpy(memory.back()->bytes().data(), bytes.data(), bytes.size());
        return {memory.back()->id(), 0, array.size()};
    }

    /// \param read  makes the future's value of the function's result and the device
    template <class Value, class Read>
    std::future<Value> submit(detail::WorkerCall call, Setups setups, Read read, const SourceLocation& where) {
        auto promise = std::make_shared<std::promise<Value>>();
        auto job = std::make_unique<detail::WorkerJob>();
        job->call = std::move(call);
        job->setups = std::move(setups);
        job->where = where;
        job->complete = [promise, read](std::vector<std::byte> answer, int device) -> std::function<void()> {
            auto value = std::make_shared<Value>(read(std::move(answer), device));
            return [promise, value] { promise->set_value(std::move(*value)); };
        };
        job->fail = [promise](std::exception_ptr failure) { promise->set_exception(std::move(failure)); };
        board_.submit(std::move(job));
        return promise->get_future();
    }

    /// How a call's MSMs are divided into jobs: in one share, or in as many as devices are idle if there is enough work.
    /// \param divides_terms  whether one MSM may be divided
    std::vector<detail::MsmShare> shares_of(std::size_t msms, std::size_t terms, bool divides_terms) const {
        const bool is_divided = engine_ == Engine::gpu && divide_from_ > 0 && msms * terms >= divide_from_ && (msms > 1 || divides_terms);
        return detail::divide_msms(msms, terms, is_divided ? std::max<std::size_t>(board_.idle_device_count(), 1) : 1);
    }

    /// MSMs as one job.
    template <Curve C>
    std::future<RunReport> submit_msms(detail::WorkerCall call, Setups setups, std::span<JacobianPoint<C>> results,
                                       const SourceLocation& where) {
        const auto read = [results](std::vector<std::byte> answer, int device) {
            return with_device(detail::read_msm_answer<C>(answer, results), device);
        };
        return submit<RunReport>(std::move(call), std::move(setups), read, where);
    }

    /// MSMs as a job for each share. \param call_of  makes the call of a share
    template <Curve C, class CallOf>
    std::future<RunReport> submit_divided_msms(std::vector<detail::MsmShare> shares, CallOf call_of, Setups setups,
                                               std::span<JacobianPoint<C>> results, bool is_montgomery_form, const SourceLocation& where) {
        const auto divided = std::make_shared<detail::DividedMsm<C>>(std::move(shares), results, is_montgomery_form);
        std::vector<std::unique_ptr<detail::WorkerJob>> jobs;
        for (std::size_t i = 0; i < divided->shares().size(); ++i) {
            auto job = std::make_unique<detail::WorkerJob>();
            job->call = call_of(divided->shares()[i]);
            job->setups = setups;
            job->where = where;
            job->complete = [divided, i](const std::vector<std::byte>& answer, int device) -> std::function<void()> {
                divided->complete(i, answer, device);
                return [divided] { divided->end_share(); };
            };
            job->fail = [divided](std::exception_ptr failure) { divided->fail(std::move(failure)); };
            jobs.push_back(std::move(job));
        }
        auto future = divided->future();
        board_.submit(std::move(jobs));
        return future;
    }

private:
    std::shared_ptr<const SharedMemory> lent_memory_of(std::span<const std::byte> bytes) {
        const std::lock_guard lock(mutex_);
        auto after = lent_.upper_bound(bytes.data());
        if (after == lent_.begin()) return nullptr;
        std::shared_ptr<const SharedMemory> memory = std::prev(after)->second.lock();
        if (memory == nullptr) return nullptr;
        const std::span<const std::byte> lent = memory->bytes();
        const bool lies_within = bytes.data() + bytes.size() <= lent.data() + lent.size();
        return lies_within ? memory : nullptr;
    }

    detail::ProcessMark mark_;
    std::mutex mutex_;
    std::map<const std::byte*, std::weak_ptr<const SharedMemory>, std::less<>> lent_;  ///< by address
    Engine engine_ = Engine::host;
    const std::size_t divide_from_;
    detail::JobBoard board_;
    detail::XidWatch xid_watch_;
    std::vector<std::unique_ptr<detail::WorkerSupervisor>> supervisors_;  ///< last, since they use the board
};

RunReport detail::awaited(std::future<RunReport> result) {
    const auto spinning_end = std::chrono::steady_clock::now() + detail::spinning_time;
    while (std::chrono::steady_clock::now() < spinning_end && result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        std::this_thread::yield();
    }
    return result.get();
}

WorkerPool::WorkerPool(std::shared_ptr<State> state) : state_(std::move(state)) {}

WorkerPool WorkerPool::start(const WorkerOptions& options, SourceLocation where) {
    return detail::report_at(where, [&] {
        check_options(options, where);
        const std::string program = detail::worker_program(options, where);
        std::vector<PlannedWorker> workers = plan_devices(options, program, where);
        if (workers.empty()) workers.assign(options.workers_per_device, PlannedWorker{});
        auto state = detail::make_shared_unless_forked<State>(options, program, workers);
        check_starts(state->failed_starts(), workers.size(), options, program, where);
        return WorkerPool(std::move(state));
    });
}

WorkerPool::State& WorkerPool::state(const SourceLocation& where) const {
    if (state_ == nullptr) detail::throw_moved_from("a worker pool", where);
    state_->mark().require_own_process("a worker pool", where);
    return *state_;
}

std::size_t WorkerPool::worker_count(SourceLocation where) const { return state(where).worker_count(); }
Engine WorkerPool::engine(SourceLocation where) const { return state(where).engine(); }
WorkerMetrics WorkerPool::metrics(SourceLocation where) const { return state(where).board().metrics(); }

void WorkerPool::quarantine(std::size_t index, const std::string& why, SourceLocation where) const {
    state(where).check_index(index, where);
    state(where).board().quarantine(index, why);
}

void WorkerPool::readmit(std::size_t index, SourceLocation where) const {
    state(where).check_index(index, where);
    state(where).board().readmit(index);
}

std::shared_ptr<const SharedMemory> WorkerPool::lend_bytes(std::size_t count, std::size_t element, const SourceLocation& where) const {
    return detail::report_at(where, [&] {
        if (count > std::numeric_limits<std::ptrdiff_t>::max() / element) {
            throw Error(ErrorCategory::out_of_memory, "an array of " + std::to_string(count) + " elements is larger than any memory",
                        where);
        }
        return state(where).lend(count * element);
    });
}

std::future<std::vector<std::byte>> WorkerPool::call(std::string function, std::span<const std::byte> input, SourceLocation where) const {
    State& own = state(where);
    if (function.starts_with("cupool.") || input.size() > detail::longest_payload / 2) {
        throw Error(ErrorCategory::invalid_argument,
                    "\"" + function + "\" is a name of cupool's own, or its input is longer than 2^29 bytes", where);
    }
    return own.submit<std::vector<std::byte>>(
        {std::move(function), {input.begin(), input.end()}, {}}, {}, [](std::vector<std::byte> answer, int) { return answer; }, where);
}

template <Curve C>
std::future<RunReport> WorkerPool::submit_msm(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points,
                                              const MsmConfig& config, std::span<JacobianPoint<C>> results, SourceLocation where) const {
    return detail::report_at(where, [&] {
        State& own = state(where);
        std::vector<std::shared_ptr<const SharedMemory>> memory;
        const OperandReference given_scalars = own.refer(scalars, memory);
        const OperandReference given_points = own.refer(points, memory);
        const auto call = [&](const OperandReference& own_scalars, const OperandReference& own_points, const MsmConfig& own_config,
                              std::size_t own_results) {
            detail::WorkerCall made = detail::msm_call<C>(own_scalars, own_points, own_config, own_results);
            made.memory = memory;
            return made;
        };
        std::vector<detail::MsmShare> shares;
        if (may_be_divided(config, scalars.size(), points.size(), results.size())) {
            shares = own.shares_of(results.size(), points.size(), true);
        }
        if (shares.size() < 2) {
            return own.submit_msms<C>(call(given_scalars, given_points, config, results.size()), {}, results, where);
        }
        const auto call_of = [&](const detail::MsmShare& share) {
            return call(scalars_of_share(given_scalars, share, points.size()),
                        detail::elements_of<AffinePoint<C>>(given_points, share.terms.offset, share.terms.count), config_of_share(config),
                        share.msms.count);
        };
        return own.submit_divided_msms<C>(std::move(shares), call_of, {}, results, config.are_points_montgomery_form, where);
    });
}

template <Curve C>
std::future<RunReport> WorkerPool::submit_msm(std::span<const Scalar> scalars, const WorkerBases<C>& bases, const MsmConfig& config,
                                              std::span<JacobianPoint<C>> results, SourceLocation where) const {
    return detail::report_at(where, [&] {
        State& own = state(where);
        if (bases.setup_ == nullptr) throw Error(ErrorCategory::invalid_argument, "the bases were never prepared, or moved from", where);
        std::vector<std::shared_ptr<const SharedMemory>> memory;
        const OperandReference given_scalars = own.refer(scalars, memory);
        const auto call = [&](const OperandReference& own_scalars, const MsmConfig& own_config, std::size_t own_results) {
            detail::WorkerCall made = detail::prepared_msm_call<C>(own_scalars, bases.setup_->id, own_config, own_results);
            made.memory = memory;
            return made;
        };
        std::vector<detail::MsmShare> shares;
        if (may_be_divided(config, scalars.size(), bases.size(), results.size())) {
            shares = own.shares_of(results.size(), bases.size(), false);
        }
        if (shares.size() < 2) {
            return own.submit_msms<C>(call(given_scalars, config, results.size()), {bases.setup_}, results, where);
        }
        const auto call_of = [&](const detail::MsmShare& share) {
            return call(scalars_of_share(given_scalars, share, bases.size()), config_of_share(config), share.msms.count);
        };
        return own.submit_divided_msms<C>(std::move(shares), call_of, {bases.setup_}, results, config.are_points_montgomery_form, where);
    });
}

template <Curve C>
WorkerBases<C> WorkerPool::prepare(std::span<const AffinePoint<C>> points, const PrepareConfig& config, SourceLocation where) const {
    return detail::report_at(where, [&] {
        (void)state(where);
        std::vector<std::shared_ptr<const SharedMemory>> memory;
        // A copy in any case: a worker that starts again prepares them again, whatever the program has done with its own since.
        const OperandReference given = State::copy(points, memory);
        auto setup = std::make_shared<detail::WorkerSetup>();
        detail::WorkerCall call = detail::prepare_call<C>(setup->id, given, config);
        call.memory = std::move(memory);
        setup->make_call = [call = std::move(call)] { return call; };
        return WorkerBases<C>(points.size(), std::move(setup));
    });
}

template <Curve C>
WorkerBases<C> WorkerPool::prepare(std::size_t count, std::function<void(std::span<AffinePoint<C>>)> give_points,
                                   const PrepareConfig& config, SourceLocation where) const {
    return detail::report_at(where, [&] {
        (void)state(where);
        if (!give_points) throw Error(ErrorCategory::invalid_argument, "the callback that gives the bases is empty", where);
        if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(AffinePoint<C>)) {
            throw Error(ErrorCategory::out_of_memory, std::to_string(count) + " bases are larger than any memory", where);
        }
        auto setup = std::make_shared<detail::WorkerSetup>();
        setup->make_call = [id = setup->id, count, config, give_points = std::move(give_points)] {
            // It goes when the worker has prepared the bases.
            const auto memory = std::make_shared<const SharedMemory>(count * sizeof(AffinePoint<C>));
            give_points({reinterpret_cast<AffinePoint<C>*>(memory->bytes().data()), count});
            detail::WorkerCall call = detail::prepare_call<C>(id, {memory->id(), 0, count}, config);
            call.memory = {memory};
            return call;
        };
        return WorkerBases<C>(count, std::move(setup));
    });
}

template <class T, class R>
requires ReduceResult<R, T> RunReport WorkerPool::reduce(std::span<const T> input, ReduceOperation operation, R& result,
                                                         SourceLocation where)
const {
    return detail::report_at(where, [&] {
        detail::require_enumerator(operation, ReduceOperation::max, "ReduceOperation", where);
        State& own = state(where);
        std::vector<std::shared_ptr<const SharedMemory>> memory;
        detail::WorkerCall call = detail::reduce_call<T, R>(own.refer(input, memory), operation);
        call.memory = std::move(memory);
        const auto read = [&result](std::vector<std::byte> answer, int device) {
            return with_device(detail::read_reduce_answer(answer, result), device);
        };
        return detail::awaited(own.submit<RunReport>(std::move(call), {}, read, where));
    });
}

std::future<KernelOutputs> WorkerPool::submit_kernel(const KernelWork& work, SourceLocation where) const {
    return detail::report_at(where, [&] {
        std::vector<std::size_t> sizes;
        for (const KernelOperand& operand : work.operands) {
            if (operand.kind == KernelOperand::Kind::output || operand.kind == KernelOperand::Kind::inout)
                sizes.push_back(operand.bytes.size());
        }
        const auto read = [sizes](const std::vector<std::byte>& answer, int) { return detail::read_kernel_answer(answer, sizes); };
        return state(where).submit<KernelOutputs>(detail::kernel_call(work), {}, read, where);
    });
}

std::string to_string(WorkerCondition condition) {
    switch (condition) {
        case WorkerCondition::starting: return "starting";
        case WorkerCondition::idle: return "idle";
        case WorkerCondition::busy: return "busy";
        case WorkerCondition::failing: return "failing";
        case WorkerCondition::quarantined: return "quarantined";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, WorkerCondition condition) { return out << to_string(condition); }

std::ostream& operator<<(std::ostream& out, const WorkerMetrics& metrics) {
    for (std::size_t i = 0; i < metrics.workers.size(); ++i) {
        const WorkerStatus& worker = metrics.workers[i];
        out << "worker " << i << ": ";
        if (worker.device >= 0) {
            out << "device " << worker.device << " (" << worker.device_name << ")";
        } else {
            out << "host";
        }
        out << ", " << worker.condition << (worker.why.empty() ? "" : " (" + worker.why + ")") << ", process " << worker.process << ", "
            << worker.jobs << " jobs, " << worker.errors << " errors, " << worker.deaths << " deaths, " << worker.retries << " retries, "
            << worker.busy_microseconds << " us busy\n";
    }
    return out;
}

std::string to_string(const WorkerMetrics& metrics) {
    std::ostringstream text;
    text << metrics;
    return text.str();
}

#define CUPOOL_INSTANTIATE(C)                                                                                                             \
    template std::future<RunReport> WorkerPool::submit_msm<C>(std::span<const Scalar>, std::span<const AffinePoint<C>>, const MsmConfig&, \
                                                              std::span<JacobianPoint<C>>, SourceLocation) const;                         \
    template std::future<RunReport> WorkerPool::submit_msm<C>(std::span<const Scalar>, const WorkerBases<C>&, const MsmConfig&,           \
                                                              std::span<JacobianPoint<C>>, SourceLocation) const;                         \
    template WorkerBases<C> WorkerPool::prepare<C>(std::span<const AffinePoint<C>>, const PrepareConfig&, SourceLocation) const;          \
    template WorkerBases<C> WorkerPool::prepare<C>(std::size_t, std::function<void(std::span<AffinePoint<C>>)>, const PrepareConfig&,     \
                                                   SourceLocation) const;
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

#define CUPOOL_INSTANTIATE(T, R) template RunReport WorkerPool::reduce<T, R>(std::span<const T>, ReduceOperation, R&, SourceLocation) const;
CUPOOL_INSTANTIATE(std::int8_t, std::int8_t)
CUPOOL_INSTANTIATE(std::uint8_t, std::uint8_t)
CUPOOL_INSTANTIATE(std::int16_t, std::int16_t)
CUPOOL_INSTANTIATE(std::uint16_t, std::uint16_t)
CUPOOL_INSTANTIATE(std::int32_t, std::int32_t)
CUPOOL_INSTANTIATE(std::uint32_t, std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t, std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t, std::uint64_t)
CUPOOL_INSTANTIATE(Float16, Float16)
CUPOOL_INSTANTIATE(BFloat16, BFloat16)
CUPOOL_INSTANTIATE(float, float)
CUPOOL_INSTANTIATE(double, double)
CUPOOL_INSTANTIATE(std::int8_t, std::int64_t)
CUPOOL_INSTANTIATE(std::uint8_t, std::uint64_t)
CUPOOL_INSTANTIATE(std::int16_t, std::int64_t)
CUPOOL_INSTANTIATE(std::uint16_t, std::uint64_t)
CUPOOL_INSTANTIATE(std::int32_t, std::int64_t)
CUPOOL_INSTANTIATE(std::uint32_t, std::uint64_t)
CUPOOL_INSTANTIATE(Float16, float)
CUPOOL_INSTANTIATE(BFloat16, float)
CUPOOL_INSTANTIATE(float, double)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
