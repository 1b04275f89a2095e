#pragma once

#include <cupool/driver/source_location.hpp>
#include <functional>
#include <string_view>

namespace cupool {

/// How much is logged, from nothing to everything.
enum class LogLevel { off, error, warning, info, debug };

/// The enumerator's name.
std::string_view to_string(LogLevel level) noexcept;

/// Logging is off until this or the environment variable CUPOOL_LOG says otherwise; what is set here wins. The variable holds a level's
/// name; any other word is taken for `warning`, and a line says so. Lines go to the logger "cupool", which writes to stderr, or to the
/// callback. Safe from any thread.
/// \throws Error invalid_argument where it is no level
void set_log_level(LogLevel level, SourceLocation where = SourceLocation::current());
LogLevel log_level() noexcept;

/// Sends lines to a function of the program instead of the logger; an empty function goes back to the logger.
/// It may be called from any thread, also several at once, and must not throw.
void set_log_callback(std::function<void(LogLevel, std::string_view)> callback);

namespace detail {

/// Whether a line of that level goes anywhere: cheap, to be asked before a line is composed.
bool logs(LogLevel level) noexcept;

/// Logs a line; failures are swallowed.
void log(LogLevel level, std::string_view line) noexcept;

}  // namespace detail

}  // namespace cupool
