#include <cupool/driver/error.hpp>
#include <cupool/driver/printable_text.hpp>
#include <ostream>

namespace cupool {

struct Error::State {
    ErrorDetails details;
    SourceLocation where;
    std::string line;
};

namespace {

std::string compose(const ErrorDetails& details, const SourceLocation& where) {
    std::string line(to_string(details.category));
    if (details.reason) line += " (" + std::string(to_string(*details.reason)) + ")";
    if (details.device) line += " on device " + std::to_string(*details.device);
    if (!details.message.empty()) line += ": " + details.message;
    if (details.code) {
        line += ": ";
        line += details.call.empty() ? "the driver" : details.call;
        line += " answered " + describe(*details.code);
    }
    if (!details.log.empty()) line += " [JIT log: " + on_one_line(details.log) + "]";
    if (!details.driver_log.empty()) line += " [driver log: " + on_one_line(details.driver_log) + "]";
    if (*where.file != '\0') line += " [" + std::string(where.file) + ":" + std::to_string(where.line) + " " + where.function + "]";
    return line;
}

}  // namespace

Error::Error(ErrorDetails details, SourceLocation where) {
    std::string line = compose(details, where);
    state_ = std::make_shared<const State>(State{std::move(details), where, std::move(line)});
}

Error::Error(ErrorCategory category, std::string message, SourceLocation where)
    : Error(ErrorDetails{category, std::move(message), {}, {}, {}, {}, {}, {}}, where) {}

Error Error::at(SourceLocation where) const { return Error(state_->details, where); }

const char* Error::what() const noexcept { return state_->line.c_str(); }
ErrorCategory Error::category() const noexcept { return state_->details.category; }
const std::string& Error::message() const noexcept { return state_->details.message; }
std::optional<abi::Status> Error::code() const noexcept { return state_->details.code; }
const std::string& Error::call() const noexcept { return state_->details.call; }
std::optional<int> Error::device() const noexcept { return state_->details.device; }
std::optional<Reason> Error::reason() const noexcept { return state_->details.reason; }
const std::string& Error::log() const noexcept { return state_->details.log; }
const std::string& Error::driver_log() const noexcept { return state_->details.driver_log; }
const SourceLocation& Error::location() const noexcept { return state_->where; }

std::string_view to_string(ErrorCategory category) noexcept {
    switch (category) {
        case ErrorCategory::invalid_argument: return "invalid_argument";
        case ErrorCategory::invalid_device: return "invalid_device";
        case ErrorCategory::wrong_context: return "wrong_context";
        case ErrorCategory::no_device: return "no_device";
        case ErrorCategory::driver_unavailable: return "driver_unavailable";
        case ErrorCategory::unsupported: return "unsupported";
        case ErrorCategory::out_of_memory: return "out_of_memory";
        case ErrorCategory::not_ready: return "not_ready";
        case ErrorCategory::jit_failure: return "jit_failure";
        case ErrorCategory::launch_failure: return "launch_failure";
        case ErrorCategory::device_fault: return "device_fault";
        case ErrorCategory::shutdown: return "shutdown";
        case ErrorCategory::forked: return "forked";
        case ErrorCategory::io: return "io";
        case ErrorCategory::worker_lost: return "worker_lost";
        case ErrorCategory::internal: return "internal";
    }
    return "unknown";
}

std::ostream& operator<<(std::ostream& out, ErrorCategory category) { return out << to_string(category); }

void detail::throw_no_enumerator(const char* type, long long value, const SourceLocation& where) {
    throw Error(ErrorCategory::invalid_argument, std::to_string(value) + " is no " + type, where);
}

void detail::throw_moved_from(const char* what, const SourceLocation& where) {
    throw Error(ErrorCategory::wrong_context, std::string(what) + " was moved from; use the object that it was moved to", where);
}

}  // namespace cupool
