#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace cupool::tools {

/// Requires that an option is a number of bytes in this range, with or without a unit that is a power of 1024: 17, 4K, 8GiB.
void require_size(CLI::Option& option, std::uint64_t least, std::uint64_t most);

}  // namespace cupool::tools
