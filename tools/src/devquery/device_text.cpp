#include "devquery/device_text.hpp"

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

}  // namespace cupool::tools
