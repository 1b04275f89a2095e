#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cupool::test {

/// The end of the last loadable segment in the file of a library.
std::size_t loadable_size(const std::string& library);

/// Opens `count` copies of a library, each with one changed byte, with trials, and prints the
/// outcomes. If the process dies, the last line says at which copy. \return the exit code for main()
int open_damaged(const std::string& library, std::uint64_t seed, int count);

}  // namespace cupool::test
