#include "io/size_text.hpp"

#include <cstdio>

namespace cupool::tools {

std::string size_text(std::uint64_t bytes) {
    constexpr double step = 1024;
    if (bytes < static_cast<std::uint64_t>(step)) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    auto size = static_cast<double>(bytes) / step;
    const char* unit = "KiB";
    for (const char* const larger : {"MiB", "GiB"}) {
        if (size < step) break;
        size /= step;
        unit = larger;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %s", size, unit);
    return text;
}

}  // namespace cupool::tools
