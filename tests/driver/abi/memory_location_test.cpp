// The declarations of <cupool/driver/abi/memory_location.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(MemoryLocationType::invalid, CU_MEM_LOCATION_TYPE_INVALID)
CUPOOL_NUMBER(MemoryLocationType::device, CU_MEM_LOCATION_TYPE_DEVICE)
CUPOOL_NUMBER(MemoryAllocationType::invalid, CU_MEM_ALLOCATION_TYPE_INVALID)
CUPOOL_NUMBER(MemoryAllocationType::pinned, CU_MEM_ALLOCATION_TYPE_PINNED)
CUPOOL_NUMBER(MemoryHandleType::none, CU_MEM_HANDLE_TYPE_NONE)
CUPOOL_NUMBER(MemoryHandleType::posix_file_descriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
CUPOOL_NUMBER(MemoryAccess::none, CU_MEM_ACCESS_FLAGS_PROT_NONE)
CUPOOL_NUMBER(MemoryAccess::read, CU_MEM_ACCESS_FLAGS_PROT_READ)
CUPOOL_NUMBER(MemoryAccess::read_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
// clang-format on

CUPOOL_LAYOUT(MemoryLocation, CUmemLocation)
CUPOOL_MEMBER(MemoryLocation, type, CUmemLocation, type)
CUPOOL_MEMBER(MemoryLocation, id, CUmemLocation, id)

CUPOOL_LAYOUT(MemoryAccessDescriptor, CUmemAccessDesc)
CUPOOL_MEMBER(MemoryAccessDescriptor, location, CUmemAccessDesc, location)
CUPOOL_MEMBER(MemoryAccessDescriptor, flags, CUmemAccessDesc, flags)

}  // namespace cupool::abi
