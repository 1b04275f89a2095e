#pragma once

#include <string>
#include <vector>

namespace cupool::test {

/// Runs cupool_conformance_memory_child to its end; the file descriptor, if any, is its number 3. \return its exit code
int run_memory_child(std::vector<std::string> arguments, int descriptor = -1);

}  // namespace cupool::test
