#pragma once

#include <cupool/driver/source_location.hpp>
#include <functional>
#include <string_view>

namespace cupool {

/// How much is logged, in ascending order.
enum class LogLevel { off, error, warning, info, debug };

/// The name of the enumerator.
std::string_view to_string(LogLevel level) noexcept;

/// Sets the log level, which has priority over the environment variable CUPOOL_LOG. Without either,
/// logging is off. The variable holds the name of a level; any other word counts as `warning`, and
/// a log line says so. Lines go to the callback or, by default, to the logger "cupool", which
/// writes to stderr. Thread-safe.
/// \throws Error invalid_argument if the value is not a level
void set_log_level(LogLevel level, SourceLocation where = SourceLocation::current());
LogLevel log_level() noexcept;

/// Sends lines to a function of the program instead of the logger; an empty function restores the
/// logger. Any thread may call the function, also several at the same time, and it must not throw.
void set_log_callback(std::function<void(LogLevel, std::string_view)> callback);

namespace detail {

/// Whether lines of that level are written: a cheap check before a line is composed.
bool logs(LogLevel level) noexcept;

/// Logs a line and ignores failures.
void log(LogLevel level, std::string_view line) noexcept;

}  // namespace detail

}  // namespace cupool
