#pragma once

#include <cupool/driver/abi.hpp>
#include <cupool/driver/reason.hpp>
#include <cupool/driver/source_location.hpp>
#include <exception>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cupool {

/// The kind of failure, by which programs decide what to do next.
enum class ErrorCategory {
    invalid_argument,    ///< a parameter is out of its range, or two contradict each other
    invalid_device,      ///< no device has that ordinal
    wrong_context,       ///< objects of different devices or contexts were mixed
    no_device,           ///< the driver works but lists no device
    driver_unavailable,  ///< there is no usable driver; reason() says why
    unsupported,         ///< this driver, device or engine does not support it
    out_of_memory,
    not_ready,       ///< asked too early; asking again later may succeed
    jit_failure,     ///< the driver could not compile or link a module; log() has its messages
    launch_failure,  ///< the driver refused a launch; the process can go on
    device_fault,    ///< the device failed during work: this process can use no GPU any more
    shutdown,        ///< the process, or the driver, is ending
    forked,          ///< this process was forked from one that had initialised the driver
    io,              ///< the operating system refused a file or a call
    worker_lost,     ///< worker processes ended during a job; their pool goes on
    internal,        ///< a fault of cupool or of the driver
};

/// The name of the enumerator.
std::string_view to_string(ErrorCategory category) noexcept;
std::ostream& operator<<(std::ostream& out, ErrorCategory category);

namespace detail {
/// \param what  the object, with its article \throws Error wrong_context, because a moved-from
/// object has no context
[[noreturn]] void throw_moved_from(const char* what, const SourceLocation& where);

/// \param type  the name of the enumeration \throws Error invalid_argument, which names the value
[[noreturn]] void throw_no_enumerator(const char* type, long long value, const SourceLocation& where);

/// Checks an enumerator. \throws Error invalid_argument if the value is above the last enumerator of an enumeration
/// that counts from 0
template <class Enum>
void require_enumerator(Enum value, Enum last, const char* type, const SourceLocation& where = SourceLocation::current()) {
    if (value < Enum{} || value > last) throw_no_enumerator(type, static_cast<long long>(value), where);
}
}  // namespace detail

/// The content of an Error.
struct ErrorDetails {
    /// The kind of failure.
    ErrorCategory category = ErrorCategory::internal;
    std::string message;              ///< what failed and what to do about it
    std::optional<abi::Status> code;  ///< the status of the driver call
    std::string call;                 ///< the name of the entry point
    std::optional<int> device;        ///< ordinal
    std::optional<Reason> reason;     ///< why the driver is unavailable
    std::string log;                  ///< the JIT compiler's full log
    std::string driver_log;           ///< lines of the driver's own log
};

/// The only exception type of cupool. Copying never throws.
class Error : public std::exception {
public:
    explicit Error(ErrorCategory category, std::string message, SourceLocation where = SourceLocation::current());
    explicit Error(ErrorDetails details, SourceLocation where = SourceLocation::current());

    /// A copy with another location in the program.
    Error at(SourceLocation where) const;

    /// All of the following on one line; line ends of a log become " | ".
    const char* what() const noexcept override;

    /// The kind of failure.
    ErrorCategory category() const noexcept;
    /// What failed and what to do about it.
    const std::string& message() const noexcept;
    /// The status of the driver call, even if this build does not know the number; nullopt if no
    /// call failed.
    std::optional<abi::Status> code() const noexcept;
    /// The name of the failed entry point, such as "cuMemAlloc"; empty if no call failed.
    const std::string& call() const noexcept;
    /// The ordinal of the device, if the failure concerns one.
    std::optional<int> device() const noexcept;
    /// Why the driver is unavailable, if it is.
    std::optional<Reason> reason() const noexcept;
    /// The full log of the JIT compiler; empty for other failures.
    const std::string& log() const noexcept;
    /// What the driver logged about the failure (see DriverLog), for errors of worker processes; else empty.
    const std::string& driver_log() const noexcept;
    /// The location in the program of the failed call.
    const SourceLocation& location() const noexcept;

private:
    struct State;
    std::shared_ptr<const State> state_;
};

/// The name of a status in the CUDA Driver API, such as "CUDA_ERROR_NO_DEVICE"; empty for a number
/// unknown to this build.
std::string_view result_name(abi::Status result) noexcept;

/// The meaning of a status, in one sentence of our own; empty for a number unknown to this build.
std::string_view result_text(abi::Status result) noexcept;

/// Name, number and meaning of a status, also for unknown numbers.
std::string describe(abi::Status result);

/// The category of an error with this status; internal for unknown numbers.
ErrorCategory category_of(abi::Status result) noexcept;

/// The reason that corresponds to a status, if the status means that the driver or a device cannot
/// be used; else nullopt.
std::optional<Reason> reason_of(abi::Status result) noexcept;

/// Whether the status means that the process has lost its devices: every later call on every GPU
/// returns the same status.
bool is_sticky(abi::Status result) noexcept;

}  // namespace cupool
