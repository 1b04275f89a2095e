#pragma once

#include <cupool/driver/abi.hpp>

#include "api/entry_point.hpp"

namespace cupool::simulator {

/// Adds a line about a failed call to the log that cuLogsDumpToMemory() gives. Out of memory, the line is left out.
void log_failure(EntryPoint entry_point, abi::Status result) noexcept;

}  // namespace cupool::simulator
