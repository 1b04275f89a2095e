// The declarations of <cupool/driver/abi/memory_pool.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(MemoryPoolAttribute::reuse_follow_event_dependencies, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES)
CUPOOL_NUMBER(MemoryPoolAttribute::reuse_allow_opportunistic, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC)
CUPOOL_NUMBER(MemoryPoolAttribute::reuse_allow_internal_dependencies, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
CUPOOL_NUMBER(MemoryPoolAttribute::release_threshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
CUPOOL_NUMBER(MemoryPoolAttribute::reserved_memory_current, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
CUPOOL_NUMBER(MemoryPoolAttribute::reserved_memory_high, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)
CUPOOL_NUMBER(MemoryPoolAttribute::used_memory_current, CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
CUPOOL_NUMBER(MemoryPoolAttribute::used_memory_high, CU_MEMPOOL_ATTR_USED_MEM_HIGH)
// clang-format on

CUPOOL_LAYOUT(MemoryPoolProperties, CUmemPoolProps)
CUPOOL_MEMBER(MemoryPoolProperties, allocation_type, CUmemPoolProps, allocType)
CUPOOL_MEMBER(MemoryPoolProperties, handle_types, CUmemPoolProps, handleTypes)
CUPOOL_MEMBER(MemoryPoolProperties, location, CUmemPoolProps, location)
CUPOOL_MEMBER(MemoryPoolProperties, win32_security_attributes, CUmemPoolProps, win32SecurityAttributes)
CUPOOL_MEMBER(MemoryPoolProperties, max_size, CUmemPoolProps, maxSize)
CUPOOL_MEMBER(MemoryPoolProperties, usage, CUmemPoolProps, usage)
CUPOOL_MEMBER(MemoryPoolProperties, reserved, CUmemPoolProps, reserved)

CUPOOL_LAYOUT(MemoryPoolPointerExport, CUmemPoolPtrExportData)
CUPOOL_MEMBER(MemoryPoolPointerExport, reserved, CUmemPoolPtrExportData, reserved)

}  // namespace cupool::abi
