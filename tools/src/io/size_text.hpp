#pragma once

#include <cstdint>
#include <string>

namespace cupool::tools {

/// A number of bytes for people: "16 bytes", "4.0 KiB", "1.0 MiB", "140.4 GiB".
std::string size_text(std::uint64_t bytes);

}  // namespace cupool::tools
