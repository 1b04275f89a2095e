#pragma once

#include <cstddef>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/device_identity.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/pool/detail/pool_task.hpp>
#include <cupool/pool/division.hpp>
#include <cupool/pool/kernel_work.hpp>
#include <cupool/pool/load_balancer.hpp>
#include <cupool/pool/msm_spread.hpp>
#include <cupool/pool/partitioned_launch.hpp>
#include <cupool/pool/pool_metrics.hpp>
#include <cupool/pool/pool_operand.hpp>
#include <cupool/pool/pooled_bases.hpp>
#include <cupool/pool/unusable_devices.hpp>
#include <functional>
#include <future>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cupool {

struct ProbeReport;

namespace detail {
class MsmJob;
template <Curve C>
class MsmResults;
class PoolState;
struct PoolStateAccess;
}  // namespace detail

/// A device that a pool does not give work to.
struct QuarantinedDevice {
    int device = 0;   ///< ordinal
    std::string why;  ///< the reason given to quarantine()
};

/// Several devices as one: the devices of a host in a chosen order, each with its retained primary context (retained when first used).
///
/// A pool may instead hold the host itself (all_or_host(), host()): then is_host() is true, it has one member, and algorithms run on the
/// host's cores. Copyable: copies share the same state. All members are thread-safe.
///
/// Each member has one thread, which starts with its first task and runs on cores near the device if the system reports which those are. No
/// device is current on it (see current_device.hpp): a task gets its device's context. The destructor of the last copy waits for all tasks.
/// A device fault in any task makes every GPU of the process unusable: from then on all queued tasks and all calls fail at once with
/// device_fault, which names the first failure.
///
/// A pool belongs to the process that made it. In a forked child all its members, and those of objects made with it, throw forked at once;
/// destroying, copying and moving stay safe. Make a new pool in the child: of the host at any time, of devices where the parent had not
/// initialised the driver. A future that was not ready at the fork never becomes ready in the child: do not wait for it there. Every member
/// of a pool that was moved from throws wrong_context.
class DevicePool {
public:
    /// Every device that the driver shows, in its order.
    /// \throws Error no_device if there is none, driver_unavailable if the probe says why not; where devices are opened now, also what
    /// retaining a primary context throws if one is refused, and no_device, naming each one's reason, if all are left out.
    static DevicePool all(UnusableDevices unusable = UnusableDevices::lazy, SourceLocation where = SourceLocation::current());
    /// The same for a given driver.
    static DevicePool all(const std::shared_ptr<const Driver>& driver, UnusableDevices unusable = UnusableDevices::lazy,
                          SourceLocation where = SourceLocation::current());

    /// The devices that the probe finds usable, or, if it finds none, a pool whose one member is the host; the log says which and why, and
    /// excluded_devices() lists the unusable ones. A pool is never the host's because devices could not be opened: see all().
    /// \throws Error forked in a child of a process that had initialised the driver, which must not be taken for a host without GPUs, and
    ///         driver_unavailable where the probe met a failure that says nothing about the GPUs.
    static DevicePool all_or_host(UnusableDevices unusable = UnusableDevices::lazy, SourceLocation where = SourceLocation::current());
    /// The same for a driver that is loaded as the options say, for instance after a trial (LoadOptions::trial_command). A driver that is
    /// refused is no usable GPU.
    static DevicePool all_or_host(const LoadOptions& options, UnusableDevices unusable = UnusableDevices::lazy,
                                  SourceLocation where = SourceLocation::current());

    /// The host itself. \param threads  how many cores algorithms use; 0 means all
    static DevicePool host(unsigned threads = 0);

    /// These devices, in this order. \throws Error invalid_argument (empty list or a repeated ordinal), invalid_device (unknown ordinal),
    /// no_device if there is none at all. Where devices are opened now, the same as all().
    static DevicePool with_devices(std::span<const int> ordinals, UnusableDevices unusable = UnusableDevices::lazy,
                                   SourceLocation where = SourceLocation::current());
    /// The same for a given driver.
    static DevicePool with_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals,
                                   UnusableDevices unusable = UnusableDevices::lazy, SourceLocation where = SourceLocation::current());

    /// Whether the pool's one member is the host.
    bool is_host(SourceLocation where = SourceLocation::current()) const;
    /// The engine that its algorithms run on: host or gpu.
    Engine engine(SourceLocation where = SourceLocation::current()) const;
    /// The number of members; 1 for a host pool.
    std::size_t device_count(SourceLocation where = SourceLocation::current()) const;

    /// The ordinal at an index of the pool's order. \throws Error invalid_argument past the end; unsupported on a host pool.
    int device_at(std::size_t index, SourceLocation where = SourceLocation::current()) const;
    /// The context of the device at an index; a host pool's one member is at index 0. \throws Error invalid_argument past the end, and what
    /// retaining a primary context throws.
    const DeviceContext& context_at(std::size_t index, SourceLocation where = SourceLocation::current()) const;
    /// The context of a device by its ordinal. \throws Error invalid_device if it is not in the pool, and what retaining a primary context
    /// throws.
    const DeviceContext& context(int ordinal, SourceLocation where = SourceLocation::current()) const;
    /// The ordinals, in order; empty on a host pool.
    const std::vector<int>& devices(SourceLocation where = SourceLocation::current()) const;

    /// Over the contexts, in the pool's order; a host pool has one. Each context is made when the iterator reaches it, which throws what
    /// context_at() throws. Iterators refer to this copy of the pool, which must outlive them.
    class Iterator;
    /// The context at index 0.
    Iterator begin(SourceLocation where = SourceLocation::current()) const;
    /// Past the last context.
    Iterator end(SourceLocation where = SourceLocation::current()) const;

    /// The identity of the device at an index: UUID, PCI address, MIG instance, entry of CUDA_VISIBLE_DEVICES. Creates no context.
    /// \throws Error invalid_argument past the end; unsupported on a host pool
    DeviceIdentity identity_at(std::size_t index, SourceLocation where = SourceLocation::current()) const;
    /// The identities of all devices, in order; empty on a host pool.
    std::vector<DeviceIdentity> identities(SourceLocation where = SourceLocation::current()) const;

    /// The devices that this pool excludes because they cannot be used.
    const std::vector<ExcludedDevice>& excluded_devices(SourceLocation where = SourceLocation::current()) const;

    /// The next ordinal, round robin in the pool's order: lock-free, and exactly even as long as the same devices are quarantined.
    /// \throws Error unsupported on a host pool, no_device if every device is quarantined, device_fault
    int next_device(const SourceLocation& where = SourceLocation::current()) const;

    /// The ordinal of the best device for work that needs this many bytes: of the devices with as much free memory now (what their memory
    /// pools keep unused counts as free), the one with the fewest tasks of this pool in flight, then with the most. Queries every device,
    /// and creates its context for that; a device that cannot be queried is skipped, with a log message. \throws Error out_of_memory if
    /// none has as much, saying who has the most; unsupported on a host pool; no_device, device_fault
    int best_available_device(std::size_t bytes_needed = 0, SourceLocation where = SourceLocation::current()) const;

    /// Chooses devices for submit(): by capability (multiprocessors times clock) at first, by measured speed later.
    LoadBalancer& balancer(SourceLocation where = SourceLocation::current()) const;

    /// Excludes a device from all choices of the pool until it is readmitted. Tasks of submit() that have not started move to other
    /// devices, unless the balancing policy forbids it. \throws Error invalid_device if it is not in the pool
    void quarantine(int ordinal, const std::string& why, SourceLocation where = SourceLocation::current()) const;
    /// Ends the quarantine of a device. \throws Error invalid_device if it is not in the pool
    void readmit(int ordinal, SourceLocation where = SourceLocation::current()) const;
    /// The quarantined devices, in the order of the pool.
    std::vector<QuarantinedDevice> quarantined(SourceLocation where = SourceLocation::current()) const;

    /// The first device fault in a task of this pool; nullopt if there was none.
    std::optional<Error> fault(SourceLocation where = SourceLocation::current()) const;

    /// A snapshot of the pool's metrics.
    PoolMetrics metrics(SourceLocation where = SourceLocation::current()) const;

    /// Calls function(context) on the thread of the device at an index, after the tasks queued there before, and returns a future of its
    /// result. The function must not wait for other work of the same device. The future throws its failure, or that of retaining the
    /// context. \throws Error invalid_argument past the end, device_fault, forked
    template <class Function>
    auto submit_at(std::size_t index, Function function, SourceLocation where = SourceLocation::current()) const {
        using Task = detail::FutureTask<Function>;
        auto task = std::make_unique<Task>(std::move(function));
        auto future = task->future();
        post(index, std::move(task), where);
        return future;
    }

    /// The same on a device that balancer() chooses for an amount of work. While it waits it may move to another device: to an idle one, to
    /// one that would end it sooner, or away from one that is quarantined, unless the policy forbids it. Additionally \throws Error
    /// no_device if every device is quarantined, invalid_argument (work is negative or no number)
    template <class Function>
    auto submit(Function function, double work = 1, SourceLocation where = SourceLocation::current()) const {
        using Task = detail::FutureTask<Function>;
        auto task = std::make_unique<Task>(std::move(function));
        auto future = task->future();
        post_balanced(std::move(task), work, where);
        return future;
    }

    /// run_kernel() on a device that balancer() chooses for an `amount` of work. The pool keeps a copy of the description, and uses no
    /// memory of the program. The future throws its failure. \throws what submit() throws; unsupported on a host pool
    std::future<KernelOutputs> submit_kernel(KernelWork work, double amount = 1, SourceLocation where = SourceLocation::current()) const;

    /// Calls function(index, context) for every device that is not quarantined, on their threads at once, and returns when all have
    /// returned. If a task of this pool calls it, it runs the calls one after another on that thread.
    /// \throws the failure of the lowest index, the others having been awaited; no_device if every device is quarantined
    void for_each_device(const std::function<void(std::size_t, const DeviceContext&)>& function,
                         SourceLocation where = SourceLocation::current()) const;

    /// Divides items among the devices that are not quarantined; the others get empty slices.
    /// \throws Error unsupported on a host pool; no_device if every device is quarantined
    Division divide(std::uint64_t items, Shares shares = Shares::by_speed, SourceLocation where = SourceLocation::current()) const;
    /// The same in proportion to the program's own weights, one a device of the pool; a device of weight 0 gets nothing. \throws
    /// additionally Error invalid_argument (not as many weights as devices, one that is negative or no number, none above 0 of a device
    /// that is not quarantined)
    Division divide(std::uint64_t items, std::span<const double> weights, SourceLocation where = SourceLocation::current()) const;
    /// \throws Error invalid_argument if a division is not of this pool's devices, naming both
    void check_division(const Division& division, SourceLocation where = SourceLocation::current()) const;

    /// The proportions in which devices divide one job: the terms of an MSM, a batch, prepared bases, a partitioned launch. They are those
    /// of set_weights(); otherwise the speeds measured in divided jobs, or capabilities (multiprocessors times clock) before the first
    /// measurement. Devices that are equal and measured alike have equal weights. One for each member.
    std::vector<double> weights(SourceLocation where = SourceLocation::current()) const;
    /// Replaces measured speeds by these weights, one for each member; an empty span restores measured speeds.
    /// \throws Error invalid_argument (not as many weights as members, one that is not above 0 or no number)
    void set_weights(std::span<const double> weights, SourceLocation where = SourceLocation::current()) const;

    /// Launches a kernel of the program's own over `total` items, divided among the devices that are not quarantined; a device whose share
    /// is empty is left out. The kernel's last two parameters, of type .u64, are its part's offset and count; those before them are what
    /// configure(partition) gives for each part, called on the device's thread. The PTX is compiled once for each device, and kept.
    ///
    ///     pool.launch_partitioned("scale", ptx, total, [&](const Partition& part) {
    ///         return PartitionLaunch{LaunchShape{blocks_for(part.count), 256}, std::tuple{array.slice(part), 2.0f}};
    ///     }).get();
    ///
    /// An argument that is a SlicedArray's slice(index) is held against the part: where the array is divided otherwise than the launch,
    /// that is an error that names both divisions. slice(part), or a launch with array.division(), cannot disagree. \return a handle for
    /// each part and for all of them; their failures (invalid_argument, jit_failure, launch_failure, device_fault, whatever configure
    /// throws ...) come out of it \throws Error unsupported on a host pool; no_device if every device is quarantined
    template <class Configure>
    PendingLaunch launch_partitioned(std::string kernel, std::string ptx, std::uint64_t total, Configure configure,
                                     Shares shares = Shares::by_speed, SourceLocation where = SourceLocation::current()) const {
        return launch_division(std::move(kernel), std::move(ptx), divide(total, shares, where), std::move(configure), where);
    }
    /// The same, divided as `division` says, which also an array may be. \throws Error invalid_argument if the division is not of this
    /// pool's devices, or gives items to one that is quarantined; unsupported on a host pool
    template <class Configure>
    PendingLaunch launch_partitioned(std::string kernel, std::string ptx, Division division, Configure configure,
                                     SourceLocation where = SourceLocation::current()) const {
        require_healthy(division, where);
        return launch_division(std::move(kernel), std::move(ptx), std::move(division), std::move(configure), where);
    }

    /// Waits for all tasks queued so far, and for the default streams of the devices. Skips a device that has had no task and whose context
    /// was never requested. If a task of this pool calls it, it waits for the streams only.
    /// \throws the failure of the lowest index
    void synchronize_all(SourceLocation where = SourceLocation::current()) const;

    /// One MSM; the same contract as cupool::msm(), whose config.ctx is ignored. A small MSM runs on one device, so that MSMs of many
    /// threads spread over all devices. Several devices divide a large one as MsmSpread says: its terms, or their digits. MSMs have a
    /// balancer of their own, which measures work in terms; every other task in flight on a device counts as an MSM of the same size.
    ///
    /// Each operand lies in host memory, on one device of the pool, or in slices on several (see PoolOperand), in any mix; the config's
    /// flags say whether it is on devices. If an operand is on a device, devices divide the terms, never the digits:
    ///
    /// - An operand on one device is divided like host memory, and its parts are copied to the devices that need them. An MSM for one
    ///   device goes where its points lie, or else its scalars, unless that device is quarantined.
    /// - If an operand lies in slices, each device sums the terms of its own slice, and `spread` is ignored. Scalars and points that both
    ///   lie in slices must be divided alike; an operand in host memory or on one device is divided as the slices are.
    ///
    /// Copies run after earlier work of the default stream of their source's device; they take device memory beyond config.memory_budget.
    /// The operands are no longer in use when the call returns or throws.
    /// \throws what cupool::msm() throws; no_device if every device is quarantined; invalid_argument (slices that are divided differently,
    /// naming both divisions; two slices on one device; a slice on a quarantined device), wrong_context (an operand is outside the pool),
    /// unsupported (an operand on a device; the pool is the host)
    template <Curve C>
    RunReport msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                  JacobianPoint<C>& result, MsmSpread spread = MsmSpread::automatic,
                  SourceLocation where = SourceLocation::current()) const;

    /// As many MSMs as there are results, as cupool::msm() of several: over the same points, or each over points of its own. Whole MSMs are
    /// distributed over as many devices as all of them together have work for. If they do not divide evenly, all devices divide the last
    /// few, provided these are large. If one fails, no result is written.
    ///
    /// Of k MSMs with slices, each device sums its terms of all of them. A slice of scalars, or of points that differ between MSMs, then
    /// has k rows of equal size, one for each MSM; a slice of shared points has one. \throws additionally Error invalid_argument if the
    /// scalars, or those of a slice, do not divide evenly
    template <Curve C>
    RunReport msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                  std::span<JacobianPoint<C>> results, MsmSpread spread = MsmSpread::automatic,
                  SourceLocation where = SourceLocation::current()) const;

    /// The same with results in memory of any device of the pool, with config.are_results_on_device. The one device that does all of it
    /// writes them there itself where they are to lie with it; else the host joins the sums and copies them. They are written behind what
    /// was given to that device's default stream, and there when the call returns; what they hold where it throws is unspecified.
    /// \throws additionally Error wrong_context (the results lie outside of the pool), unsupported (config.is_async is set: see
    /// submit_msm(); the pool is the host)
    template <Curve C>
    RunReport msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points, const MsmConfig& config,
                  DeviceSpan<JacobianPoint<C>> results, MsmSpread spread = MsmSpread::automatic,
                  SourceLocation where = SourceLocation::current()) const;

    /// The MSM above as tasks of the devices' threads: returns when the tasks are queued. The
    /// future has the report when the result is there, or the failure. Until it is ready the operands must stay as they are, and they and
    /// the result must live. The devices' threads write the result and make copies; no other thread is started. config.is_async is ignored.
    ///
    /// If a task of the same pool submits an MSM, the MSM runs at once on the task's thread; the task may wait for that future, but for no
    /// other.
    /// \return  a future with the report. Failures that the devices meet come out of it, the failure of the first part where several
    /// fail; they name the line of this call
    /// \throws what msm() finds before it begins: operands that do not go together, or do not lie where they must; no_device, device_fault
    template <Curve C>
    std::future<RunReport> submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                      const MsmConfig& config, JacobianPoint<C>& result, MsmSpread spread = MsmSpread::automatic,
                                      SourceLocation where = SourceLocation::current()) const;
    /// The same of several MSMs.
    template <Curve C>
    std::future<RunReport> submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                      const MsmConfig& config, std::span<JacobianPoint<C>> results, MsmSpread spread = MsmSpread::automatic,
                                      SourceLocation where = SourceLocation::current()) const;
    /// The same with results in memory of any device of the pool.
    template <Curve C>
    std::future<RunReport> submit_msm(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                      const MsmConfig& config, DeviceSpan<JacobianPoint<C>> results,
                                      MsmSpread spread = MsmSpread::automatic, SourceLocation where = SourceLocation::current()) const;

    /// Prepares bases for many MSMs; see PreparedBases. `config.ctx` is ignored. If every device gets enough work, the bases are divided
    /// among the devices that are not quarantined; otherwise each device gets all of them; `all_devices` and `digit_partition` divide them
    /// in any case, `one_device` never. `spread` also determines how devices divide one MSM over divided bases. The points are host memory,
    /// not needed any more when it returns. \throws what PreparedBases' constructor throws; no_device
    template <Curve C>
    PooledBases<C> prepare(std::span<const AffinePoint<C>> points, const PrepareConfig& config, MsmSpread spread = MsmSpread::automatic,
                           SourceLocation where = SourceLocation::current()) const;

    /// One MSM over prepared bases, or over the first of them where the scalars are fewer. It runs where the bases are: on all devices that
    /// have a part, even if one was quarantined since; or, if each device has all bases, on the device that has the scalars or would finish
    /// first. Scalars in slices agree with bases that are divided; if each device has all bases, each device sums its slice of the terms.
    /// Otherwise as the MSM above. \throws what cupool::msm() of PreparedBases throws; wrong_context (the bases are another pool's),
    /// no_device; and of operands on devices what the MSM above throws
    template <Curve C>
    RunReport msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config, JacobianPoint<C>& result,
                  SourceLocation where = SourceLocation::current()) const;

    /// As many MSMs over prepared bases as there are results: if each device has all bases, whole MSMs are distributed over as many devices
    /// as `spread` says; otherwise each device sums its terms of all MSMs, whatever `spread` says, and waits for no other device (for one
    /// MSM, see above). If one fails, no result is written. \throws additionally Error invalid_argument if the scalars do not divide evenly
    template <Curve C>
    RunReport msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                  std::span<JacobianPoint<C>> results, MsmSpread spread = MsmSpread::automatic,
                  SourceLocation where = SourceLocation::current()) const;

    /// The same with results in memory of any device of the pool, as MSMs over points have it.
    template <Curve C>
    RunReport msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                  DeviceSpan<JacobianPoint<C>> results, MsmSpread spread = MsmSpread::automatic,
                  SourceLocation where = SourceLocation::current()) const;

    /// MSMs over prepared bases as tasks of the devices' threads: see submit_msm() of points. The future keeps the bases until it is
    /// ready.
    template <Curve C>
    std::future<RunReport> submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                      JacobianPoint<C>& result, SourceLocation where = SourceLocation::current()) const;
    /// The same of several MSMs.
    template <Curve C>
    std::future<RunReport> submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                      std::span<JacobianPoint<C>> results, MsmSpread spread = MsmSpread::automatic,
                                      SourceLocation where = SourceLocation::current()) const;
    /// The same with results in memory of any device of the pool.
    template <Curve C>
    std::future<RunReport> submit_msm(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                      DeviceSpan<JacobianPoint<C>> results, MsmSpread spread = MsmSpread::automatic,
                                      SourceLocation where = SourceLocation::current()) const;

    /// The sum, product, minimum or maximum of an array in host memory, on one device, or in slices on several (see PoolOperand), with the
    /// types and rules of cupool::reduce(). The result has the bits that one device gives: the devices reduce whole tiles of the order that
    /// docs/reduce.md describes, and the host reduces the tiles' values.
    ///
    /// - Host memory is divided by weights() among the devices that are not quarantined, at least 4 MiB for each. A smaller input goes to
    ///   the device with the fewest tasks of this pool in flight, so that the reductions of many threads spread over all devices.
    /// - An operand on one device is reduced there, since its memory is faster than its links.
    /// - Of slices each device reduces the tiles that begin in its own, and copies the end of the last one from the next slices. An empty
    ///   slice, of any device, is skipped.
    ///
    /// Work on device memory runs after earlier work of the devices' default streams. The operand is no longer in use when the
    /// call returns or throws. \throws what cupool::reduce() throws; no_device if every device is quarantined; invalid_argument (two slices
    /// on one device, a slice on a quarantined device), wrong_context (the operand is outside the pool), unsupported (an operand on a
    /// device; the pool is the host)
    template <class T, class R>
    requires ReduceResult<R, T> RunReport reduce(const PoolOperand<T>& input, ReduceOperation operation, R& result,
                                                 SourceLocation where = SourceLocation::current())
    const;

    /// Element by element over one buffer a device: result[i] = buffers[0][i] (op) buffers[1][i] (op) ..., from left to right. Each step
    /// rounds to T, so 16-bit floats are rounded after every buffer; Collectives::all_reduce() rounds them once. The result of one buffer
    /// is a copy of its bits, those of NaNs included. The buffers lie on devices of the pool, in any order, and have equal sizes. The other
    /// devices' data travels over peer links, not through host memory, where the devices have one. It runs after earlier work of the
    /// devices' default streams, and returns when the result is there. \return a buffer on the first buffer's device. \throws Error
    /// invalid_argument (no buffer, unequal sizes), wrong_context (a device outside the pool), unsupported (a host pool, a product of
    /// floats).
    template <class T>
    DeviceBuffer<T> reduce_results(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation,
                                   SourceLocation where = SourceLocation::current()) const;

    /// All elements of all buffers to one number on the host. Each device reduces its own buffers on its worker, then the host reduces
    /// their results, as an array in the buffers' order: the result depends on values and sizes alone. Those of 16-bit floats are float,
    /// and rounded at the end. The buffers lie on devices of the pool, any number on each, and may differ in size; empty ones are skipped.
    /// The sum of none is 0, the product 1. Runs on the devices' default streams. \throws Error
    /// invalid_argument (no buffer; the minimum or maximum of nothing), wrong_context (a device outside the pool), unsupported on a host
    /// pool, and what cupool::reduce() throws
    template <class T, class R>
    requires ReduceResult<R, T> RunReport reduce_results(std::span<const DeviceSpan<const T>> buffers, ReduceOperation operation, R& result,
                                                         SourceLocation where = SourceLocation::current())
    const;

private:
    friend class Collectives;
    friend class PeerManager;
    friend class PoolGraph;
    friend struct detail::PoolStateAccess;

    explicit DevicePool(std::shared_ptr<detail::PoolState> state);
    /// Called first by every member. \throws Error wrong_context if the pool was moved from, forked
    detail::PoolState& state(const SourceLocation& where) const;
    /// The devices that a probe has found usable, or the host where it has found none. \param driver  null for the host's own
    static DevicePool usable_or_host(const ProbeReport& report, const std::shared_ptr<const Driver>& driver, UnusableDevices unusable,
                                     const SourceLocation& where);
    /// \param driver  null for the host's own
    static DevicePool of_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals, UnusableDevices unusable,
                                 std::vector<ExcludedDevice> excluded, const SourceLocation& where);

    using LaunchPart = std::function<void(const Partition&, const Module&)>;

    std::size_t index_of(int ordinal, const SourceLocation& where) const;
    /// A device that is quarantined between the division and the launch still runs its part.
    template <class Configure>
    PendingLaunch launch_division(std::string kernel, std::string ptx, Division division, Configure configure,
                                  const SourceLocation& where) const {
        return launch_parts(
            std::move(ptx), std::move(division),
            [kernel = std::move(kernel), configure = std::move(configure), where](const Partition& part, const Module& module) {
                configure(part).launch(module, kernel, part, where);
            },
            where);
    }
    PendingLaunch launch_parts(std::string ptx, Division division, LaunchPart launch_part, const SourceLocation& where) const;
    /// \throws Error invalid_argument if the division is not of this pool's devices, or gives items to a quarantined one
    void require_healthy(const Division& division, const SourceLocation& where) const;
    void require_gpu(const char* what, const SourceLocation& where) const;
    template <Curve C>
    PooledBases<C> prepare_bases(std::span<const AffinePoint<C>> points, const PrepareConfig& config, MsmSpread spread,
                                 const SourceLocation& where) const;
    template <Curve C>
    std::shared_ptr<detail::MsmJob> plan_msms(const PoolOperand<Scalar>& scalars, const PoolOperand<AffinePoint<C>>& points,
                                              const MsmConfig& config, const detail::MsmResults<C>& results, MsmSpread spread,
                                              const SourceLocation& where) const;
    template <Curve C>
    std::shared_ptr<detail::MsmJob> plan_msms(const PoolOperand<Scalar>& scalars, const PooledBases<C>& bases, const MsmConfig& config,
                                              const detail::MsmResults<C>& results, MsmSpread spread, const SourceLocation& where) const;
    template <class T>
    void check_buffers(std::span<const DeviceSpan<const T>> buffers, const SourceLocation& where) const;
    void check_index(std::size_t index, const SourceLocation& where) const;
    void check_weights(std::span<const double> weights, double least, const SourceLocation& where) const;
    void post(std::size_t index, std::unique_ptr<detail::PoolTask> task, const SourceLocation& where) const;
    void post_balanced(std::unique_ptr<detail::PoolTask> task, double work, const SourceLocation& where) const;

    std::shared_ptr<detail::PoolState> state_;
};

/// A forward iterator; see DevicePool::begin().
class DevicePool::Iterator {
public:
    using iterator_category = std::forward_iterator_tag;  ///< see std::iterator_traits
    using value_type = DeviceContext;                     ///< see std::iterator_traits
    using difference_type = std::ptrdiff_t;               ///< see std::iterator_traits
    using pointer = const DeviceContext*;                 ///< see std::iterator_traits
    using reference = const DeviceContext&;               ///< see std::iterator_traits

    Iterator() = default;
    reference operator*() const { return pool_->context_at(index_); }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
        ++index_;
        return *this;
    }
    Iterator operator++(int) {
        const Iterator before = *this;
        ++index_;
        return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

private:
    friend DevicePool;
    Iterator(const DevicePool& pool, std::size_t index) : pool_(&pool), index_(index) {}

    const DevicePool* pool_ = nullptr;
    std::size_t index_ = 0;
};

inline DevicePool::Iterator DevicePool::begin(SourceLocation where) const {
    (void)device_count(where);
    return {*this, 0};
}
inline DevicePool::Iterator DevicePool::end(SourceLocation where) const { return {*this, device_count(where)}; }

std::string to_string(const DevicePool& pool, SourceLocation where = SourceLocation::current());
std::ostream& operator<<(std::ostream& out, const DevicePool& pool);

}  // namespace cupool
