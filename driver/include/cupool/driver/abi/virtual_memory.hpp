#pragma once

/// \file
/// Physical memory that is mapped to reserved addresses.

#include <cupool/driver/abi/memory_location.hpp>

namespace cupool::abi {

/// CUmemAllocationGranularity_flags.
enum class AllocationGranularity : int { minimum = 0, recommended = 1 };

/// CUmemAllocationProp.
struct PhysicalMemoryProperties {
    MemoryAllocationType type;
    MemoryHandleType requested_handle_types;
    MemoryLocation location;
    void* win32_handle_metadata;
    struct {
        unsigned char compression_type;
        unsigned char gpu_direct_rdma_capable;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};

}  // namespace cupool::abi
