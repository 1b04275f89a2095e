// The declarations of <cupool/driver/abi/virtual_memory.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(AllocationGranularity::minimum, CU_MEM_ALLOC_GRANULARITY_MINIMUM)
CUPOOL_NUMBER(AllocationGranularity::recommended, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
// clang-format on

CUPOOL_LAYOUT(PhysicalMemoryProperties, CUmemAllocationProp)
CUPOOL_MEMBER(PhysicalMemoryProperties, type, CUmemAllocationProp, type)
CUPOOL_MEMBER(PhysicalMemoryProperties, requested_handle_types, CUmemAllocationProp, requestedHandleTypes)
CUPOOL_MEMBER(PhysicalMemoryProperties, location, CUmemAllocationProp, location)
CUPOOL_MEMBER(PhysicalMemoryProperties, win32_handle_metadata, CUmemAllocationProp, win32HandleMetaData)
CUPOOL_MEMBER(PhysicalMemoryProperties, flags, CUmemAllocationProp, allocFlags)
static_assert(offsetof(PhysicalMemoryProperties, flags.compression_type) == offsetof(CUmemAllocationProp, allocFlags.compressionType),
              "PhysicalMemoryProperties::flags.compression_type");
static_assert(offsetof(PhysicalMemoryProperties, flags.gpu_direct_rdma_capable) ==
                  offsetof(CUmemAllocationProp, allocFlags.gpuDirectRDMACapable),
              "PhysicalMemoryProperties::flags.gpu_direct_rdma_capable");
static_assert(offsetof(PhysicalMemoryProperties, flags.usage) == offsetof(CUmemAllocationProp, allocFlags.usage),
              "PhysicalMemoryProperties::flags.usage");
static_assert(offsetof(PhysicalMemoryProperties, flags.reserved) == offsetof(CUmemAllocationProp, allocFlags.reserved),
              "PhysicalMemoryProperties::flags.reserved");

}  // namespace cupool::abi
