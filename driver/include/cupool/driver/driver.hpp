#pragma once

#include <atomic>
#include <cupool/driver/entry_points.hpp>
#include <cupool/driver/error.hpp>
#include <cupool/driver/loader.hpp>
#include <cupool/driver/result.hpp>
#include <memory>
#include <mutex>

namespace cupool {

namespace detail {
class DriverInitialization;
}

/// A loaded libcuda: its entry points and the report of the loader. Immutable and thread-safe.
///
/// The library is never unloaded. Loading does not initialise the driver: the first operation that
/// needs it calls cuInit once.
class Driver : public std::enable_shared_from_this<Driver> {
    struct Key {};

public:
    /// The driver of this host. The first call searches for it, and it stays loaded until the
    /// process ends.
    /// \throws Error driver_unavailable, with its reason; a later call searches again
    static const std::shared_ptr<const Driver>& system(SourceLocation where = SourceLocation::current());

    /// Loads a driver. \throws Error driver_unavailable, with its reason
    static std::shared_ptr<const Driver> open(const LoadOptions& options, SourceLocation where = SourceLocation::current());
    /// The same for programs that expect failures. \param report  gets the report of the loader,
    /// even if it fails; may be null
    static Result<std::shared_ptr<const Driver>> try_open(const LoadOptions& options, LoadReport* report = nullptr,
                                                          SourceLocation where = SourceLocation::current());

    Driver(Key, const EntryPoints& api, LoadReport report);
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    /// The raw entry points. Optional ones may be null.
    const EntryPoints& api() const noexcept { return api_; }
    /// The report of the loader.
    const LoadReport& report() const noexcept { return report_; }
    /// The result of cuDriverGetVersion: 13000 is 13.0.
    int version() const noexcept { return report_.version; }

    /// Calls cuInit and returns its status. Handles do this by themselves. Success and permanent
    /// failures are remembered; after a failure that may pass (the system is not ready yet, memory
    /// has run out) the next call tries again. \throws Error forked, shutdown
    abi::Status try_initialize(SourceLocation where = SourceLocation::current()) const;
    /// Calls cuInit. \throws Error no_device, driver_unavailable (with its reason), not_ready,
    /// forked, shutdown
    void initialize(SourceLocation where = SourceLocation::current()) const;

private:
    abi::Status call_init(detail::DriverInitialization& initialization) const;

    EntryPoints api_;
    LoadReport report_;
    mutable std::mutex initializing_;
    mutable std::atomic<abi::Status> initialization_{abi::Status::not_initialized};
};

}  // namespace cupool
