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

/// What kind of failure it is, for programs that choose what to do next.
enum class ErrorCategory {
    invalid_argument,    ///< a parameter is out of its range, or two contradict each other
    invalid_device,      ///< no device has that ordinal
    wrong_context,       ///< objects of different devices or contexts were mixed
    no_device,           ///< the driver works and shows no device
    driver_unavailable,  ///< there is no usable driver; reason() says why
    unsupported,         ///< this driver, device or engine cannot do it
    out_of_memory,
    not_ready,       ///< asked too early; asking again later may succeed
    jit_failure,     ///< the driver could not compile or link a module; log() has its words
    launch_failure,  ///< the kernel's launch was refused; the process goes on
    device_fault,    ///< the device failed while it worked: no GPU can be used by this process any more
    shutdown,        ///< the process, or the driver, is ending
    forked,          ///< this process was forked from one that had initialised the driver
    io,              ///< the operating system refused a file or a call
    worker_lost,     ///< worker processes ended while they did a job; the pool that they belong to goes on
    internal,        ///< a fault of cupool or of the driver
};

/// The enumerator's name.
std::string_view to_string(ErrorCategory category) noexcept;
std::ostream& operator<<(std::ostream& out, ErrorCategory category);

namespace detail {
/// \param what  the object, with its article \throws Error wrong_context, as an object that was moved from has no context
[[noreturn]] void throw_moved_from(const char* what, const SourceLocation& where);

/// \param type  of the enumeration \throws Error invalid_argument, naming the value
[[noreturn]] void throw_no_enumerator(const char* type, long long value, const SourceLocation& where);

/// \throws Error invalid_argument where the value is above the last enumerator of an enumeration that counts from 0
template <class Enum>
void require_enumerator(Enum value, Enum last, const char* type, const SourceLocation& where = SourceLocation::current()) {
    if (value < Enum{} || value > last) throw_no_enumerator(type, static_cast<long long>(value), where);
}
}  // namespace detail

/// All that an Error may carry.
struct ErrorDetails {
    /// What kind of failure it is.
    ErrorCategory category = ErrorCategory::internal;
    std::string message;              ///< what failed and what to do about it
    std::optional<abi::Status> code;  ///< what the driver answered
    std::string call;                 ///< the driver's entry point that answered it
    std::optional<int> device;        ///< ordinal
    std::optional<Reason> reason;     ///< why the driver is unavailable
    std::string log;                  ///< the JIT compiler's full log
};

/// The one exception type of cupool. Copying never throws.
class Error : public std::exception {
public:
    explicit Error(ErrorCategory category, std::string message, SourceLocation where = SourceLocation::current());
    explicit Error(ErrorDetails details, SourceLocation where = SourceLocation::current());

    /// The same failure, reported as asked for at another place in the program.
    Error at(SourceLocation where) const;

    /// Everything below on one line; a log's line ends become " | ".
    const char* what() const noexcept override;

    /// What kind of failure it is.
    ErrorCategory category() const noexcept;
    /// What failed and what to do about it.
    const std::string& message() const noexcept;
    /// The driver's answer as it came, also where it is a number unknown to this build; nothing where the driver was not asked.
    std::optional<abi::Status> code() const noexcept;
    /// The entry point's name in the driver, like "cuMemAlloc"; empty where no call was made.
    const std::string& call() const noexcept;
    /// The ordinal of the device it happened on, where there is one.
    std::optional<int> device() const noexcept;
    /// Why the driver is unavailable, where it is.
    std::optional<Reason> reason() const noexcept;
    /// The JIT compiler's full log; empty where it was not at work.
    const std::string& log() const noexcept;
    /// Where in the program it was asked for.
    const SourceLocation& location() const noexcept;

private:
    struct State;
    std::shared_ptr<const State> state_;
};

/// The name of a driver's answer, as the CUDA Driver API documents it ("CUDA_ERROR_NO_DEVICE"); empty for a number unknown to this build.
std::string_view result_name(abi::Status result) noexcept;

/// What a driver's answer means, in one sentence of our own; empty for a number unknown to this build.
std::string_view result_text(abi::Status result) noexcept;

/// Name, number and meaning, also for unknown numbers.
std::string describe(abi::Status result);

/// The category of an error that carries this answer; internal for unknown numbers.
ErrorCategory category_of(abi::Status result) noexcept;

/// The reason behind an answer that says that the driver, or one device, cannot be used; nothing for all others.
std::optional<Reason> reason_of(abi::Status result) noexcept;

/// Whether the answer says that the process has lost its devices: every later call on every GPU answers the same.
bool is_sticky(abi::Status result) noexcept;

}  // namespace cupool
