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

/// A loaded libcuda: its entry points and how it was found. Immutable, safe from any thread.
///
/// The library is never unloaded. Loading one runs no initialisation of the driver: cuInit is called once, by the first operation that
/// needs it.
class Driver : public std::enable_shared_from_this<Driver> {
    struct Key {};

public:
    /// The driver of this host, found by search when first asked for and kept until the process ends.
    /// \throws Error driver_unavailable, with its reason; a later call searches again.
    static const std::shared_ptr<const Driver>& system(SourceLocation where = SourceLocation::current());

    /// \throws Error driver_unavailable, with its reason.
    static std::shared_ptr<const Driver> open(const LoadOptions& options, SourceLocation where = SourceLocation::current());
    /// \param report  gets what the loader did, also where it failed; may be null
    static Result<std::shared_ptr<const Driver>> try_open(const LoadOptions& options, LoadReport* report = nullptr,
                                                          SourceLocation where = SourceLocation::current());

    Driver(Key, const EntryPoints& api, LoadReport report);
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    /// The raw entry points. Optional ones may be null.
    const EntryPoints& api() const noexcept { return api_; }
    /// How it was found.
    const LoadReport& report() const noexcept { return report_; }
    /// What cuDriverGetVersion answered: 13000 is 13.0.
    int version() const noexcept { return report_.version; }

    /// Calls cuInit and returns what it answers. Handles do this by themselves. Success, and a failure that lasts as long as the process,
    /// is remembered; a failure that may pass (the system is not ready yet, memory has run out) is asked again by the next call.
    /// \throws Error forked, shutdown
    abi::Status try_initialize(SourceLocation where = SourceLocation::current()) const;
    /// \throws Error no_device, driver_unavailable (with its reason), not_ready, forked, shutdown
    void initialize(SourceLocation where = SourceLocation::current()) const;

private:
    abi::Status call_init(detail::DriverInitialization& initialization) const;

    EntryPoints api_;
    LoadReport report_;
    mutable std::mutex initializing_;
    mutable std::atomic<abi::Status> initialization_{abi::Status::not_initialized};
};

}  // namespace cupool
