#pragma once

#include <atomic>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/pool/device_pool.hpp>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fault_latch.hpp"
#include "peers/peer_paths.hpp"
#include "pool_member.hpp"
#include "scheduling/device_threads.hpp"
#include "scheduling/relative_speeds.hpp"
#include "scheduling/round_robin.hpp"
#include "teardown.hpp"

namespace cupool::detail {

class MsmDistributor;

/// The state that the copies of a pool share: its members, their threads, what balances work among them, and the latch of device faults.
/// Thread-safe. MSMs, reductions, launches and collectives use it through its public interface.
class PoolState {
public:
    /// A task that runs for several members: it gets the index of the member and its context.
    using Work = std::function<void(std::size_t, const DeviceContext&)>;

    static std::shared_ptr<PoolState> of_host(unsigned threads, std::vector<ExcludedDevice> excluded);
    /// \param driver  null for the system's driver
    static std::shared_ptr<PoolState> of_devices(const std::shared_ptr<const Driver>& driver, std::span<const int> ordinals,
                                                 std::vector<ExcludedDevice> excluded);

    PoolState(const PoolState&) = delete;
    PoolState& operator=(const PoolState&) = delete;

    /// \throws Error forked in a child of the process that made the pool
    void require_own_process(const SourceLocation& where) const { process_.require_own_process("the pool", where); }

    bool is_host() const { return ordinals_.empty(); }
    const std::vector<int>& ordinals() const { return ordinals_; }
    const std::vector<ExcludedDevice>& excluded_devices() const { return excluded_devices_; }
    std::size_t size() const { return members_.size(); }
    /// The index of a device in the pool, or size() if it is not in the pool. The host's member has the ordinal of PoolMember::ordinal().
    std::size_t index_of(int ordinal) const;
    PoolMember& member(std::size_t index) const { return *members_[index]; }
    const std::vector<std::unique_ptr<PoolMember>>& members() const { return members_; }
    /// The indices of the members that are not quarantined. \throws Error no_device if there is none
    std::vector<std::size_t> healthy() const;
    /// The indices of those of them with the fewest tasks in flight, at most so many, in the pool's order. \pre most > 0
    std::vector<std::size_t> least_busy(std::size_t most) const;
    /// Quarantines a member, or readmits it. \param why  nullopt readmits it
    void set_quarantine(std::size_t index, std::optional<std::string> why);

    /// The balancer of DevicePool::submit(). MSMs have their own: see MsmDistributor.
    LoadBalancer& balancer();
    MsmDistributor& msms() { return *msms_; }
    PeerPaths& peers() { return peers_; }
    const FaultLatch& faults() const { return faults_; }

    /// Calls the function unless there was a device fault, and latches a device fault that it throws.
    void guard(const std::function<void()>& function);
    /// Runs a task on the calling thread with the member's context. The task is guarded and counted in the metrics.
    /// \param where  the caller's line, which errors name that prevent the task from starting
    void run(std::size_t index, const Work& work, const SourceLocation& where = SourceLocation::current());
    /// Runs one task of several members on the calling thread; the metrics of each member count it.
    void run_together(std::span<const std::size_t> indices, const std::function<void()>& work);
    /// Queues a task for the member's thread.
    /// \param lease  a lease of balancer(), which allows the task to move to another member before it starts; null if the caller chose the
    /// member
    void post(std::size_t index, std::shared_ptr<PoolTask> task, std::shared_ptr<LoadBalancer::Lease> lease, const SourceLocation& where);
    /// Runs a task on the calling thread; the metrics and the task see no difference from post().
    void perform_here(std::size_t index, PoolTask& task, const SourceLocation& where);
    /// Queues a task for the member's thread. If the calling thread is itself a thread of this pool, on which another one may be waiting,
    /// it runs the task instead. Every failure is passed to the task.
    void give(std::size_t index, const std::shared_ptr<PoolTask>& task, const SourceLocation& where) noexcept;
    /// Gives each of these members a task: see give().
    std::vector<std::future<void>> start_each(std::span<const std::size_t> indices, Work work,
                                              const SourceLocation& where = SourceLocation::current());
    /// The same, and waits for all. \throws the failure of the lowest index
    void run_each(std::span<const std::size_t> indices, const Work& work, const SourceLocation& where = SourceLocation::current());

    /// The next ordinal in round-robin order. Lock-free.
    int next_device(const SourceLocation& where) {
        RoundRobin* const rotation = rotation_.load(std::memory_order_acquire);
        if (rotation == nullptr) [[unlikely]] {
            throw_no_rotation(copy_of(where));
        }
        return rotation->next();
    }
    /// The index of the device that DevicePool::best_available_device() returns.
    std::size_t best_available(std::size_t bytes_needed);

    /// Divides items among these members. \return a slice for each member of the pool, empty for those that are not in `indices`
    std::vector<Slice> divided(std::uint64_t items, Shares shares, const std::vector<std::size_t>& indices);
    /// The same in proportion to these weights, one for each member of the pool.
    std::vector<Slice> divided(std::uint64_t items, std::span<const double> weights, const std::vector<std::size_t>& indices) const;

    /// The weights by which members divide one job, one for each member.
    std::vector<double> weights();
    /// The weights of these members.
    std::vector<double> weights_of(std::span<const std::size_t> indices);
    /// \param weights  one for each member; empty to use measured speeds
    void set_weights(std::vector<double> weights);
    /// The speeds measured in jobs that several members divide.
    RelativeSpeeds& speeds();

    /// Adds the report of one part of a job to the report of the whole.
    void join(RunReport& whole, const RunReport& part) const;
    /// Counts a copy between two members, or within one, in their metrics.
    void count_copy(std::size_t from, std::size_t to, std::uint64_t bytes) const {
        member(from).bytes += bytes;
        if (to != from) member(to).bytes += bytes;
    }

private:
    explicit PoolState(unsigned host_threads);
    PoolState(const std::shared_ptr<const Driver>& driver, std::vector<int> ordinals);
    /// Waits for the tasks of the members.
    ~PoolState();
    /// Called when the last copy of a pool is destroyed. A thread of the pool cannot wait for itself, nor for other threads of the pool,
    /// which may wait for it; on such a thread, Teardown destroys the pool on a thread of its own, which is awaited before the process
    /// exits or the library is unloaded. A forked child leaks the state: its threads stayed in the parent and may hold its mutexes.
    static void release(PoolState* state) noexcept;

    /// Guards a task and counts it in the metrics.
    void run_task(std::size_t index, const Work& work, const SourceLocation& where);
    DeviceThreads::Hooks thread_hooks();
    bool can_open(std::size_t index) noexcept;
    /// \param lease  null if the caller chose the member \return whether the task succeeded
    bool perform(std::size_t index, PoolTask& task, std::shared_ptr<LoadBalancer::Lease> lease, const SourceLocation& where);
    void note(const Error& error);
    /// Fails the queued tasks at once, since the thread of a queue may be busy for long. \pre a device fault is latched
    void fail_queued();
    /// Updates the rotation to the members that are not quarantined now; each set of devices resumes where it stopped.
    void update_rotation();
    [[noreturn]] void throw_no_rotation(const SourceLocation& where) const;
    [[noreturn]] static void throw_all_quarantined(const SourceLocation& where = SourceLocation::current());

    ProcessMark process_;
    std::vector<int> ordinals_;
    std::vector<ExcludedDevice> excluded_devices_;
    FaultLatch faults_;
    std::mutex mutex_;  // guards the creation of balancer_ and speeds_, the weights, and quarantine
    std::unique_ptr<LoadBalancer> balancer_;
    /// One for each set of devices so far: another thread may still use an earlier one.
    std::vector<std::unique_ptr<RoundRobin>> rotations_;
    /// Null for the host, if all members are quarantined, and after a device fault, so that next_device() reads one variable only.
    std::atomic<RoundRobin*> rotation_{nullptr};
    std::vector<std::unique_ptr<PoolMember>> members_;
    std::unique_ptr<RelativeSpeeds> speeds_;  ///< created on first use
    std::vector<double> own_weights_;         ///< set by the program, one for each member; empty if measured speeds apply
    PeerPaths peers_;
    std::unique_ptr<MsmDistributor> msms_;
    /// For the case that a task of the pool destroys its last copy.
    std::unique_ptr<Teardown> teardown_ = std::make_unique<Teardown>(this, [](void* state) { delete static_cast<PoolState*>(state); });
    std::unique_ptr<DeviceThreads> threads_;  // last: the threads use the other members
};

/// Gives functions of the library that are no members of DevicePool its state.
struct PoolStateAccess {
    static PoolState& state(const DevicePool& pool, const SourceLocation& where) { return pool.state(where); }
};

}  // namespace cupool::detail
