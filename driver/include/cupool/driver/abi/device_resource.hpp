#pragma once

/// \file
/// The resources of a device that a green context may own.

namespace cupool::abi {

/// CUdevResourceType.
enum class ResourceType : int { invalid = 0, multiprocessors = 1 };

/// CUdevSmResource.
struct MultiprocessorResource {
    unsigned count;
    unsigned min_partition_size;
    unsigned coscheduled_alignment;
};

/// CUdevResource.
struct DeviceResource {
    ResourceType type;
    unsigned char driver_own[92];
    union {
        MultiprocessorResource multiprocessors;
        unsigned char reserved[48];
    };
};

}  // namespace cupool::abi
