#pragma once

/// \file
/// Attachment, advice and range attributes of managed memory.

#include <cupool/driver/abi/handles.hpp>

namespace cupool::abi {

/// CU_DEVICE_CPU: the host, where calls for managed memory expect a device.
inline constexpr Device host_device = -1;
/// CU_DEVICE_INVALID: what queries of managed memory return for no location.
inline constexpr Device no_location = -2;

/// CU_MEM_ATTACH_*, restricted to those that cupool passes.
enum class ManagedAttachment : unsigned { global = 1, host = 2 };

/// CUmem_advise.
enum class MemoryAdvice : int {
    set_read_mostly = 1,
    unset_read_mostly = 2,
    set_preferred_location = 3,
    unset_preferred_location = 4,
    set_accessed_by = 5,
    unset_accessed_by = 6,
};

/// CUmem_range_attribute, restricted to those that cupool queries.
enum class MemoryRangeAttribute : int { read_mostly = 1, preferred_location = 2, last_prefetch_location = 4 };

}  // namespace cupool::abi
