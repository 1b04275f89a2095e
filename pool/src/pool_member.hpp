#pragma once

#include <atomic>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/device_identity.hpp>
#include <cupool/pool/pool_metrics.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace cupool::detail {

/// A device of a pool, or the host: its context, created on first use, and the metrics of its tasks.
class PoolMember {
public:
    /// \param driver  null for the system's driver, whose contexts the whole process shares
    PoolMember(std::shared_ptr<const Driver> driver, int ordinal);
    /// The host.
    explicit PoolMember(DeviceContext host);

    int ordinal() const { return ordinal_; }
    /// \throws what retaining a primary context throws; a later call tries again
    const DeviceContext& context(const SourceLocation& where = SourceLocation::current());
    /// Whether the member ever had a task, or its context was requested, so that its stream may have work.
    bool is_used() const { return is_open_ || launches > 0 || in_flight > 0; }

    /// \pre it is not the host
    DeviceIdentity identity() const;

    /// Multiprocessors times clock in GHz; 1 for the host.
    double capability() const;

    std::optional<std::string> quarantine() const;
    void set_quarantine(std::optional<std::string> why);

    /// Restricts the calling thread, which is the member's own, to processors near the device if the system reports which those are.
    void settle_near_device() const noexcept;

    DeviceMetrics metrics() const;

    std::atomic<std::uint64_t> launches{0};
    std::atomic<std::uint64_t> errors{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> in_flight{0};
    std::atomic<std::uint64_t> busy_microseconds{0};
    std::atomic<std::uint64_t> taken_over{0};

private:
    std::shared_ptr<const Driver> driver_;
    int ordinal_;
    std::mutex context_mutex_;  // held while the driver makes the context, which may take long: nothing else waits for it
    std::optional<DeviceContext> context_;
    std::atomic<bool> is_open_{false};  ///< whether the context was asked for, and is there
    mutable std::mutex quarantine_mutex_;
    std::optional<std::string> quarantine_;
};

}  // namespace cupool::detail
