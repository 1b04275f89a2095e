#pragma once

/// \file
/// Properties and attributes of memory pools.

#include <cstddef>
#include <cupool/driver/abi/memory_location.hpp>

namespace cupool::abi {

/// CUmemPool_attribute.
enum class MemoryPoolAttribute : int {
    reuse_follow_event_dependencies = 1,
    reuse_allow_opportunistic = 2,
    reuse_allow_internal_dependencies = 3,
    release_threshold = 4,
    reserved_memory_current = 5,
    reserved_memory_high = 6,
    used_memory_current = 7,
    used_memory_high = 8,
};

/// CUmemPoolProps.
struct MemoryPoolProperties {
    MemoryAllocationType allocation_type;
    MemoryHandleType handle_types;
    MemoryLocation location;
    void* win32_security_attributes;
    std::size_t max_size;
    unsigned short usage;
    unsigned char reserved[54];
};

/// CUmemPoolPtrExportData: identifies an allocation of a pool to a process that has imported the
/// pool.
struct MemoryPoolPointerExport {
    unsigned char reserved[64];
};

}  // namespace cupool::abi
