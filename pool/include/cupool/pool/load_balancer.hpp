#pragma once

#include <cstddef>
#include <cupool/driver/source_location.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace cupool {

/// What is known of a device's load. Work is counted in a unit of the program's choice, the same for all calls: terms of MSMs, bytes, jobs.
struct DeviceLoad {
    int device = 0;             ///< ordinal
    double speed = 1;           ///< work a microsecond: measured, or estimated from the device's capability before anything was
    double outstanding = 0;     ///< work leased and not yet completed
    double busy = 0;            ///< microseconds of completed work, older ones weighing less: half after each half-life
    double reported = 0;        ///< of those, microseconds that report_completion() told of
    std::size_t in_flight = 0;  ///< leases not yet completed
    bool available = true;      ///< false while it is quarantined
};

/// How a LoadBalancer chooses. Implement it for a policy of your own; select() is called under the balancer's lock, so it must be quick
/// and must not call the balancer.
class BalancingPolicy {
public:
    virtual ~BalancingPolicy() = default;
    /// The index of the device that is to do `work`: one that is available, of which there is at least one.
    virtual std::size_t select(std::span<const DeviceLoad> loads, double work) = 0;
    /// Whether work that waits for the device that select() chose may go to another device before it begins: to an idle one, to one that
    /// would end it sooner, or away from one that is quarantined. Called under the balancer's lock as well.
    virtual bool allows_takeover() const { return true; }
};

/// The device that will have finished the work first, as far as leases and reports tell. A device that reported work without a lease is
/// expected to have as much of it again, which fades as reports do. The default.
class EarliestCompletion final : public BalancingPolicy {
public:
    std::size_t select(std::span<const DeviceLoad> loads, double work) override;
};

/// The device that has worked least of late, whatever the size of the work.
class LeastBusy final : public BalancingPolicy {
public:
    std::size_t select(std::span<const DeviceLoad> loads, double work) override;
};

/// One after another, whatever their load, beginning with the first. Work stays with the device whose turn it was.
class TakingTurns final : public BalancingPolicy {
public:
    std::size_t select(std::span<const DeviceLoad> loads, double work) override;
    bool allows_takeover() const override { return false; }

private:
    std::size_t next_ = 0;
};

/// Work that should move for the devices to finish together.
struct Migration {
    int from = 0;     ///< ordinal
    int to = 0;       ///< ordinal
    double work = 0;  ///< at most
};

/// Spreads work over devices of unequal speed. It learns their speeds from completed leases (but a
/// device's first, which has kernels to compile) and forgets old load. Safe from any thread. In a
/// forked child every member of it and of its leases that takes part in the balance throws forked.
class LoadBalancer {
public:
    class Lease;

    /// A device and what it is likely to do, relative to the others: multiprocessors times clock, say.
    struct Candidate {
        int device = 0;         ///< its number, which select_device() returns in the lease
        double capability = 1;  ///< relative speed, above 0
    };
    /// Microseconds since some moment; never goes back. Called from any thread.
    using Clock = std::function<double()>;

    /// \param devices    not empty, each once
    /// \param policy     null: EarliestCompletion
    /// \param clock      empty: the steady clock
    /// \param half_life  microseconds after which completed work weighs half
    /// \throws Error invalid_argument
    explicit LoadBalancer(std::span<const Candidate> devices, std::unique_ptr<BalancingPolicy> policy = nullptr, Clock clock = {},
                          double half_life = 1e6, SourceLocation where = SourceLocation::current());
    ~LoadBalancer();
    LoadBalancer(const LoadBalancer&) = delete;
    LoadBalancer& operator=(const LoadBalancer&) = delete;

    /// Chooses a device for an amount of work, which counts as outstanding until the lease ends, and as 1e100 where it is more. A lease may
    /// outlive the balancer. \throws Error invalid_argument (work is negative or no number), no_device (none is available)
    Lease select_device(double work = 1, SourceLocation where = SourceLocation::current());
    /// Chooses that many different devices, each for an amount of `work`, or all that are available where those are fewer: for one job that
    /// several devices share. \throws what select_device() throws
    std::vector<Lease> select_devices(std::size_t count, double work = 1, SourceLocation where = SourceLocation::current());
    /// Counts work on a device of the caller's choice. \throws Error invalid_device where it is not among the candidates
    Lease lease(int device, double work = 1, SourceLocation where = SourceLocation::current());
    /// For work that was not leased: the device has done an amount of `work` in that many microseconds. Its speed is learned from that,
    /// and the time counts as load that goes on, fading with the half-life: select_device() and rebalance() look at it as at leases.
    /// Report at once what was done in several pieces, as its whole work and time. \throws Error invalid_device, invalid_argument
    /// (microseconds or work are negative or no number)
    void report_completion(int device, double microseconds, double work = 1, SourceLocation where = SourceLocation::current());

    /// What should move for the devices to finish together, where the times at which they would finish differ by more than `threshold` of
    /// their mean; nothing otherwise, and no move smaller than the work of an average lease, so that work is never sent to and fro; what a
    /// quarantined device has moves in any case. Work that was reported counts as work that each device is about to get again: a plan
    /// that moves more than is leased says how much of that should go elsewhere. The plan counts only once leases were moved by it
    /// (Lease::move_to()).
    std::vector<Migration> rebalance(double threshold = 0.2, SourceLocation where = SourceLocation::current()) const;

    /// Whether a device is to be chosen. \throws Error invalid_device
    void set_available(int device, bool available, SourceLocation where = SourceLocation::current());
    /// \throws Error invalid_argument (null)
    void set_policy(std::unique_ptr<BalancingPolicy> policy, SourceLocation where = SourceLocation::current());
    /// What the policy says of work that waits.
    bool allows_takeover(SourceLocation where = SourceLocation::current()) const;

    /// A snapshot, in the candidates' order.
    std::vector<DeviceLoad> loads(SourceLocation where = SourceLocation::current()) const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// Work that a device was chosen for. Move-only. Its end, however it comes, ends the device's load; complete() says that it was done, and
/// how fast the device was is learned from that.
class LoadBalancer::Lease {
public:
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { release(); }

    /// The number of the device.
    int device() const noexcept { return device_; }
    /// The amount of work that was announced.
    double work() const noexcept { return work_; }

    /// The work begins now: what passed before was waiting. Without it, it begins when the lease was made or the device's previous
    /// work ended, whichever is later.
    void begin(SourceLocation where = SourceLocation::current());
    /// The work is done.
    void complete(SourceLocation where = SourceLocation::current());
    /// The work, which has not begun, goes to another device. \throws Error invalid_device
    void move_to(int device, SourceLocation where = SourceLocation::current());

private:
    friend LoadBalancer;
    Lease(std::shared_ptr<State> state, std::size_t index, double work, double now);

    void release() noexcept;

    std::shared_ptr<State> state_;
    std::size_t index_ = 0;
    int device_ = 0;
    double work_ = 0;
    double began_ = 0;
};

}  // namespace cupool
