#pragma once

/// \file
/// Attributes and identity of devices.

namespace cupool::abi {

/// CUdevice_attribute, as of CUDA 13.0.
enum class DeviceAttribute : int {
#define CUPOOL_DEVICE_ATTRIBUTE(name, number) name = number,
#include <cupool/driver/device_attributes.def>
#undef CUPOOL_DEVICE_ATTRIBUTE
};

/// CUcomputemode.
enum class ComputeMode : int { standard = 0, prohibited = 2, exclusive_process = 3 };

/// CUdevice_P2PAttribute.
enum class PeerAttribute : int {
    performance_rank = 1,
    access_supported = 2,
    native_atomics_supported = 3,
    array_access_supported = 4,
    only_partial_native_atomics_supported = 5,
};

/// CUuuid.
struct Uuid {
    unsigned char bytes[16];
};

}  // namespace cupool::abi
