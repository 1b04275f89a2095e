#pragma once

#include <string>
#include <vector>

namespace cupool::test {

/// The exit code of a child whose driver cannot do it at all.
inline constexpr int memory_child_unsupported = 2;

/// Runs cupool_conformance_memory_child to its end; the file descriptor, if any, is its number 3. \return its exit code
int run_memory_child(std::vector<std::string> arguments, int descriptor = -1);

}  // namespace cupool::test
