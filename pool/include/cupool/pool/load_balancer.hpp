#pragma once

#include <cstddef>
#include <cupool/driver/source_location.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace cupool {

/// The load of a device. Work is counted in a unit of the program's choice, the same for all calls: terms of MSMs, bytes, jobs.
struct DeviceLoad {
    int device = 0;             ///< ordinal
    double speed = 1;           ///< work a microsecond: measured, or estimated from the device's capability before anything was
    double outstanding = 0;     ///< work leased and not yet completed
    double busy = 0;            ///< microseconds of completed work, which decays by half in each half-life
    double reported = 0;        ///< of those, microseconds passed to report_completion()
    std::size_t in_flight = 0;  ///< leases not yet completed
    bool available = true;      ///< false while it is quarantined
};

/// How a LoadBalancer chooses. Implement it for a policy of your own; select() is called under the balancer's lock, so it must be quick
/// and must not call the balancer.
class BalancingPolicy {
public:
    virtual ~BalancingPolicy() = default;
    /// Returns the index of the device for `work`. It must be available; at least one is.
    virtual std::size_t select(std::span<const DeviceLoad> loads, double work) = 0;
    /// Whether queued work may move from the device that select() chose to another device before it starts: to an idle one, to one that
    /// would end it sooner, or away from one that is quarantined. Called under the balancer's lock as well.
    virtual bool allows_takeover() const { return true; }
};

/// Selects the device that would finish the work first, judged by leases and reports. A device that reported work without a lease is
/// expected to get as much again; that expectation decays like reports. The default policy.
class EarliestCompletion final : public BalancingPolicy {
public:
    std::size_t select(std::span<const DeviceLoad> loads, double work) override;
};

/// Selects the device that was busy least recently, whatever the size of the work.
class LeastBusy final : public BalancingPolicy {
public:
    std::size_t select(std::span<const DeviceLoad> loads, double work) override;
};

/// Selects devices in turn, whatever their load, beginning with the first. Queued work does not move.
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

/// Spreads work over devices of unequal speed. It learns their speeds from completed leases (but a device's first, which has kernels to
/// compile) and forgets old load. Thread-safe. In a forked child, its members and those of its leases throw forked.
class LoadBalancer {
public:
    class Lease;

    /// A device and its estimated speed relative to the others, e.g. multiprocessors times clock.
    struct Candidate {
        int device = 0;         ///< its number, which select_device() returns in the lease
        double capability = 1;  ///< relative speed, above 0
    };
    /// Monotonic time in microseconds. Called from any thread.
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

    /// Chooses a device for an amount of work. The work counts as outstanding until the lease ends, with at most 1e100. A lease may
    /// outlive the balancer. \throws Error invalid_argument (work is negative or no number), no_device (none is available)
    Lease select_device(double work = 1, SourceLocation where = SourceLocation::current());
    /// Chooses that many different devices, each for an amount of `work`, or all available ones if they are fewer: for one job that several
    /// devices divide. \throws what select_device() throws
    std::vector<Lease> select_devices(std::size_t count, double work = 1, SourceLocation where = SourceLocation::current());
    /// Counts work on a device of the caller's choice. \throws Error invalid_device if it is not among the candidates
    Lease lease(int device, double work = 1, SourceLocation where = SourceLocation::current());
    /// Reports work that was not leased: the device did an amount of `work` in that many microseconds. The balancer learns the device's
    /// speed from it and counts the time as continuing load, which decays with the half-life, in select_device() and rebalance(). Report
    /// work done in several steps once, with its total work and time. \throws Error invalid_device, invalid_argument (microseconds or work
    /// are negative or no number)
    void report_completion(int device, double microseconds, double work = 1, SourceLocation where = SourceLocation::current());

    /// What should move for the devices to finish together, where the times at which they would finish differ by more than `threshold` of
    /// their mean; nothing otherwise, and no move smaller than the work of an average lease, so that work is never sent to and fro; what a
    /// quarantined device has moves in any case. Work that was reported counts as work that each device is about to get again: a plan
    /// that moves more than is leased says how much of that should go elsewhere. The plan counts only once leases were moved by it
    /// (Lease::move_to()).
    std::vector<Migration> rebalance(double threshold = 0.2, SourceLocation where = SourceLocation::current()) const;

    /// Sets whether a device may be chosen. \throws Error invalid_device
    void set_available(int device, bool available, SourceLocation where = SourceLocation::current());
    /// \throws Error invalid_argument (null)
    void set_policy(std::unique_ptr<BalancingPolicy> policy, SourceLocation where = SourceLocation::current());
    /// Whether the policy lets queued work move: see BalancingPolicy.
    bool allows_takeover(SourceLocation where = SourceLocation::current()) const;

    /// A snapshot, in the candidates' order.
    std::vector<DeviceLoad> loads(SourceLocation where = SourceLocation::current()) const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// A reservation of a device for an amount of work. Move-only. Its end, in any way, ends the load of the device; complete() reports that
/// the work is done, from which the balancer learns the device's speed.
class LoadBalancer::Lease {
public:
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { release(); }

    /// The number of the device.
    int device() const noexcept { return device_; }
    /// The amount of work that was reserved.
    double work() const noexcept { return work_; }

    /// Reports that the work starts now; the time before was waiting. Without this call, the work starts when the lease was made or the
    /// device's previous work ended, whichever is later.
    void begin(SourceLocation where = SourceLocation::current());
    /// Reports that the work is done.
    void complete(SourceLocation where = SourceLocation::current());
    /// Moves the work, which must not have started, to another device. \throws Error invalid_device
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
