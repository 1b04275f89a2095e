#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/driver.hpp>
#include <cupool/driver/log.hpp>

#include "loading/host_facts.hpp"
#include "loading/loader.hpp"

namespace cupool {

namespace {

Error unavailable(const LoadReport& report, const SourceLocation& where) {
    ErrorDetails details;
    details.category = ErrorCategory::driver_unavailable;
    details.reason = report.reason;
    details.message = report.explanation();
    return Error(std::move(details), where);
}

/// Whether another cuInit in this process may succeed after this status.
bool may_change(abi::Status result) {
    switch (result) {
        case abi::Status::not_initialized:     // not called yet
        case abi::Status::device_unavailable:  // in use by another process
        case abi::Status::operating_system:    // the kernel module is not loaded yet
        case abi::Status::unknown: return true;
        default: break;
    }
    const ErrorCategory category = category_of(result);
    return category == ErrorCategory::not_ready || category == ErrorCategory::out_of_memory;
}

}  // namespace

Driver::Driver(Key, const EntryPoints& api, LoadReport report) : api_(api), report_(std::move(report)) {}

Result<std::shared_ptr<const Driver>> Driver::try_open(const LoadOptions& options, LoadReport* report, SourceLocation where) {
    detail::LoadedLibrary library = detail::load_library(options);
    if (report != nullptr) *report = library.report;
    if (library.report.reason != Reason::none) return unavailable(library.report, where);
    return std::shared_ptr<const Driver>(std::make_shared<const Driver>(Key{}, library.api, std::move(library.report)));
}

std::shared_ptr<const Driver> Driver::open(const LoadOptions& options, SourceLocation where) {
    return try_open(options, nullptr, where).value();
}

const std::shared_ptr<const Driver>& Driver::system(SourceLocation where) {
    // Never destroyed, because objects of the program may outlive static destruction. It is not a
    // function-local static, because a child forked during its initialisation would wait for a
    // thread of the parent. Two threads may both open the library, which loads it only once.
    static std::atomic<const std::shared_ptr<const Driver>*> kept{nullptr};
    const std::shared_ptr<const Driver>* driver = kept.load(std::memory_order_acquire);
    if (driver != nullptr) return *driver;
    auto opened = std::make_unique<const std::shared_ptr<const Driver>>(open({}, where));
    if (kept.compare_exchange_strong(driver, opened.get(), std::memory_order_acq_rel)) driver = opened.release();
    return *driver;
}

abi::Status Driver::try_initialize(SourceLocation where) const {
    if (detail::must_leak()) detail::refuse_call(*this, entry_point_info<&EntryPoints::init>, detail::no_ordinal, where);
    if (may_change(initialization_.load(std::memory_order_acquire))) {
        detail::DriverInitialization initialization;  // before the lock: a child that is forked while it is held must not wait for it
        const std::lock_guard lock(initializing_);
        if (may_change(initialization_.load(std::memory_order_relaxed)))
            initialization_.store(call_init(initialization), std::memory_order_release);
    }
    return initialization_.load(std::memory_order_relaxed);
}

abi::Status Driver::call_init(detail::DriverInitialization& initialization) const {
    const abi::Status result = api_.init(0);
    if (result == abi::Status::success) initialization.succeeded(reinterpret_cast<const void*>(api_.init));
    if (detail::logs(LogLevel::info)) {
        detail::log(LogLevel::info,
                    "cuInit of " + report_.library_path + " (CUDA " + cuda_version_text(version()) + ") answered " + describe(result));
    }
    return result;
}

void Driver::initialize(SourceLocation where) const {
    const abi::Status result = try_initialize(where);
    if (result == abi::Status::success) return;
    const detail::HostFacts host = detail::gather_host_facts();
    detail::Diagnosis diagnosis =
        detail::diagnose_initialization(result, report_.simulated ? detail::simulated_host_facts(host) : host, report_.library_path);
    ErrorDetails details;
    details.category = detail::category_of_reason(diagnosis.reason);
    details.reason = diagnosis.reason;
    details.message = std::move(diagnosis.explanation);
    details.code = result;
    details.call = entry_point_info<&EntryPoints::init>.base;
    throw Error(std::move(details), where);
}

}  // namespace cupool
