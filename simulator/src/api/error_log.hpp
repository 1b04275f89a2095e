#pragma once

#include <cupool/driver/abi.hpp>

#include "api/entry_point.hpp"

namespace cupool::simulator {

/// Adds a line about a failed call, of the form that driver 580 gives it, to the log that cuLogsDumpToMemory() reads. Out of memory, the
/// line is left out.
void log_failure(EntryPoint entry_point, abi::Status result) noexcept;

}  // namespace cupool::simulator
