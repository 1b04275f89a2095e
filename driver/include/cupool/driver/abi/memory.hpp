#pragma once

/// \file
/// Kinds of memory, attributes of pointers, and flags of host memory.

namespace cupool::abi {

/// CUmemorytype.
enum class MemoryType : unsigned { host = 1, device = 2, array = 3, unified = 4 };

/// CUpointer_attribute, restricted to those that cupool queries.
enum class PointerAttribute : int {
    context = 1,
    memory_type = 2,
    device_pointer = 3,
    host_pointer = 4,
    is_managed = 8,
    device_ordinal = 9,
    range_start_address = 11,
    range_size = 12,
    memory_pool = 17,
};

/// CU_MEMHOSTALLOC_*; a bit set.
enum class HostAllocationFlags : unsigned { none = 0, portable = 1, device_map = 2, write_combined = 4 };

/// CU_MEMHOSTREGISTER_*; a bit set.
enum class HostRegistrationFlags : unsigned { none = 0, portable = 1, device_map = 2, io_memory = 4, read_only = 8 };

}  // namespace cupool::abi
