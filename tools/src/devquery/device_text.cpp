#include "devquery/device_text.hpp"

#include <cstdio>

namespace cupool::tools {

std::string compute_mode_name(abi::ComputeMode mode) {
    switch (mode) {
        case abi::ComputeMode::standard: return "default";
        case abi::ComputeMode::prohibited: return "prohibited";
        case abi::ComputeMode::exclusive_process: return "exclusive process";
    }
    return std::to_string(static_cast<int>(mode));
}

std::string compute_capability(const ProbedDevice& device) {
    return std::to_string(device.compute_capability_major) + "." + std::to_string(device.compute_capability_minor);
}

std::string memory_text(std::size_t bytes) {
    char text[32];
    constexpr double bytes_of_mebibyte = 1024.0 * 1024.0;
    const double mebibytes = static_cast<double>(bytes) / bytes_of_mebibyte;
    if (mebibytes < 1024) {
        std::snprintf(text, sizeof text, "%.1f MiB", mebibytes);
    } else {
        std::snprintf(text, sizeof text, "%.1f GiB", mebibytes / 1024);
    }
    return text;
}

}  // namespace cupool::tools
