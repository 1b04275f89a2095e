#include "pool_member.hpp"

#include <cupool/driver/device.hpp>
#include <cupool/driver/log.hpp>
#include <utility>

#include "scheduling/cpu_affinity.hpp"

namespace cupool::detail {

namespace {

constexpr int host_ordinal = -1;

Device device_of(const std::shared_ptr<const Driver>& driver, int ordinal) { return Device(driver ? driver : Driver::system(), ordinal); }

}  // namespace

PoolMember::PoolMember(std::shared_ptr<const Driver> driver, int ordinal) : driver_(std::move(driver)), ordinal_(ordinal) {}

PoolMember::PoolMember(DeviceContext host) : ordinal_(host_ordinal), context_(std::move(host)) {}

const DeviceContext& PoolMember::context(const SourceLocation& where) {
    // Not std::call_once: it is no place to throw through where the compiler's runtime is linked statically.
    const std::lock_guard lock(context_mutex_);
    if (!context_)
        context_ = driver_ ? DeviceContext::for_device(driver_, ordinal_, where) : DeviceContext::default_for_device(ordinal_, where);
    is_open_ = true;
    return *context_;
}

DeviceIdentity PoolMember::identity() const { return identity_of(device_of(driver_, ordinal_)); }

double PoolMember::capability() const {
    if (ordinal_ == host_ordinal) return 1;
    const Device device = device_of(driver_, ordinal_);
    const double gigahertz = device.attribute(abi::DeviceAttribute::clock_rate_khz) / 1e6;
    return device.multiprocessor_count() * (gigahertz > 0 ? gigahertz : 1);
}

std::optional<std::string> PoolMember::quarantine() const {
    const std::lock_guard lock(quarantine_mutex_);
    return quarantine_;
}

void PoolMember::set_quarantine(std::optional<std::string> why) {
    const std::lock_guard lock(quarantine_mutex_);
    quarantine_ = std::move(why);
}

DeviceMetrics PoolMember::metrics() const {
    return {.device = ordinal_,
            .launches = launches,
            .errors = errors,
            .bytes = bytes,
            .in_flight = in_flight,
            .busy_microseconds = busy_microseconds,
            .taken_over = taken_over,
            .quarantined = quarantine().has_value()};
}

void PoolMember::settle_near_device() const noexcept {
    if (ordinal_ == host_ordinal) return;
    try {
        run_on_processors(processors_near(device_of(driver_, ordinal_).pci_bus_id()));
    } catch (const std::exception& error) {
        // The affinity affects speed only; an error of the device will show in its tasks.
        log(LogLevel::debug, error.what());
    }
}

}  // namespace cupool::detail
