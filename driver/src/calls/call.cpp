#include <cupool/driver/context.hpp>
#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/log.hpp>

namespace cupool::detail {

namespace {

std::optional<int> device_or_nothing(int ordinal) { return ordinal == no_ordinal ? std::nullopt : std::optional<int>(ordinal); }

/// The driver's name for a status that this build does not know; empty if it has none.
std::string driver_name_of(const Driver& driver, abi::Status result) {
    const char* name = nullptr;
    if (!result_name(result).empty() || driver.api().get_error_name == nullptr ||
        driver.api().get_error_name(result, &name) != abi::Status::success || name == nullptr) {
        return {};
    }
    return "the driver calls it " + std::string(name);
}

}  // namespace

void refuse_call(const Driver& driver, const EntryPointInfo& entry_point, int ordinal, const SourceLocation& where) {
    ErrorDetails details;
    details.call = entry_point.base;
    details.device = device_or_nothing(ordinal);
    const unsigned phase = process_phase.load(std::memory_order_relaxed);
    if ((phase & forked) != 0) {
        details.category = ErrorCategory::forked;
        details.message = "cannot call " + details.call +
                          ": this process was forked from one that had initialised the driver, which does not survive a fork; fork before "
                          "the first use of a GPU, or start the child with exec";
    } else if ((phase & exiting) != 0) {
        details.category = ErrorCategory::shutdown;
        details.message = "cannot call " + details.call + ": the process is exiting";
    } else {
        details.category = ErrorCategory::unsupported;
        details.message = details.call + " needs a driver of CUDA " + cuda_version_text(entry_point.since) + " or newer; " +
                          (driver.report().library_path.empty() ? "the driver" : driver.report().library_path) + " is of CUDA " +
                          cuda_version_text(driver.version()) + " and does not have it";
    }
    throw Error(std::move(details), where);
}

void throw_failed_call(const Driver& driver, const EntryPointInfo& entry_point, abi::Status result, int ordinal,
                       const SourceLocation& where) {
    throw_failed_call(driver, entry_point, result, ordinal, where, driver_name_of(driver, result));
}

void throw_failed_call(const Driver&, const EntryPointInfo& entry_point, abi::Status result, int ordinal, const SourceLocation& where,
                       const std::string& message) {
    ErrorDetails details;
    details.category = category_of(result);
    details.message = message;
    details.code = result;
    details.call = entry_point.base;
    details.device = device_or_nothing(ordinal);
    details.reason = reason_of(result);
    throw Error(std::move(details), where);
}

void log_failed_call(const EntryPointInfo& entry_point, abi::Status result, int ordinal) noexcept {
    if (!logs(LogLevel::warning)) return;
    try {
        log(LogLevel::warning, std::string(entry_point.base) + " failed while an object of device " + std::to_string(ordinal) +
                                   " was being destroyed: " + describe(result));
    } catch (...) {  // composing a line may run out of memory, and a destructor cannot report that
    }
}

void log_current_exception() noexcept {
    try {
        throw;
    } catch (const std::exception& error) {
        log(LogLevel::warning, error.what());
    } catch (...) {
        log(LogLevel::warning, "something that is no std::exception was thrown while an object was being destroyed");
    }
}

void throw_failed_call_in(ContextView context, const EntryPointInfo& entry_point, abi::Status result, SourceLocation where) {
    throw_failed_call(context.driver(), entry_point, result, context.ordinal(), where);
}

void throw_no_context(const SourceLocation& where) {
    throw Error(ErrorCategory::wrong_context, "this needs a context, and the view given is of none", where);
}

void throw_wrong_device(const char* what, int ordinal, const char* user, int user_ordinal, const SourceLocation& where) {
    ErrorDetails details;
    details.category = ErrorCategory::wrong_context;
    details.device = device_or_nothing(user_ordinal);
    details.message = std::string(what) + " of device " + std::to_string(ordinal) + " was given to " + user + " of device " +
                      std::to_string(user_ordinal);
    if (ordinal == user_ordinal) details.message += ": the same device, but another context";
    throw Error(std::move(details), where);
}

void throw_wrong_device(const char* what, int ordinal, const char* user, ContextView user_context, const SourceLocation& where) {
    throw_wrong_device(what, ordinal, user, user_context.ordinal(), where);
}

void throw_wrong_device(const char* what, ContextView context, const char* user, ContextView user_context, const SourceLocation& where) {
    throw_wrong_device(what, context.ordinal(), user, user_context.ordinal(), where);
}

}  // namespace cupool::detail
