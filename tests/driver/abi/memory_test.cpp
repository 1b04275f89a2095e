// The declarations of <cupool/driver/abi/memory.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(HostAllocationFlags::portable, CU_MEMHOSTALLOC_PORTABLE)
CUPOOL_NUMBER(HostAllocationFlags::device_map, CU_MEMHOSTALLOC_DEVICEMAP)
CUPOOL_NUMBER(HostAllocationFlags::write_combined, CU_MEMHOSTALLOC_WRITECOMBINED)
CUPOOL_NUMBER(HostRegistrationFlags::portable, CU_MEMHOSTREGISTER_PORTABLE)
CUPOOL_NUMBER(HostRegistrationFlags::device_map, CU_MEMHOSTREGISTER_DEVICEMAP)
CUPOOL_NUMBER(HostRegistrationFlags::io_memory, CU_MEMHOSTREGISTER_IOMEMORY)
CUPOOL_NUMBER(HostRegistrationFlags::read_only, CU_MEMHOSTREGISTER_READ_ONLY)
CUPOOL_NUMBER(PointerAttribute::context, CU_POINTER_ATTRIBUTE_CONTEXT)
CUPOOL_NUMBER(PointerAttribute::memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
CUPOOL_NUMBER(PointerAttribute::device_pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
CUPOOL_NUMBER(PointerAttribute::host_pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER)
CUPOOL_NUMBER(PointerAttribute::is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED)
CUPOOL_NUMBER(PointerAttribute::device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
CUPOOL_NUMBER(PointerAttribute::range_start_address, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
CUPOOL_NUMBER(PointerAttribute::range_size, CU_POINTER_ATTRIBUTE_RANGE_SIZE)
CUPOOL_NUMBER(PointerAttribute::memory_pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE)
CUPOOL_NUMBER(MemoryType::host, CU_MEMORYTYPE_HOST)
CUPOOL_NUMBER(MemoryType::device, CU_MEMORYTYPE_DEVICE)
CUPOOL_NUMBER(MemoryType::array, CU_MEMORYTYPE_ARRAY)
CUPOOL_NUMBER(MemoryType::unified, CU_MEMORYTYPE_UNIFIED)
// clang-format on

}  // namespace cupool::abi
