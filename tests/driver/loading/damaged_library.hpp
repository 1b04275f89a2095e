#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cupool::test {

/// How many bytes of a library's file are loaded: where its last loadable segment ends.
std::size_t loadable_size(const std::string& library);

/// Opens so many copies of a library, each with one byte changed, with trials, and prints what came of it. The last line says which copy it
/// was at, should the process die. \return the exit code for main()
int open_damaged(const std::string& library, std::uint64_t seed, int count);

}  // namespace cupool::test
