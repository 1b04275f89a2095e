// The declarations of <cupool/driver/abi/managed_memory.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(ManagedAttachment::global, CU_MEM_ATTACH_GLOBAL)
CUPOOL_NUMBER(ManagedAttachment::host, CU_MEM_ATTACH_HOST)
CUPOOL_NUMBER(MemoryAdvice::set_read_mostly, CU_MEM_ADVISE_SET_READ_MOSTLY)
CUPOOL_NUMBER(MemoryAdvice::unset_read_mostly, CU_MEM_ADVISE_UNSET_READ_MOSTLY)
CUPOOL_NUMBER(MemoryAdvice::set_preferred_location, CU_MEM_ADVISE_SET_PREFERRED_LOCATION)
CUPOOL_NUMBER(MemoryAdvice::unset_preferred_location, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
CUPOOL_NUMBER(MemoryAdvice::set_accessed_by, CU_MEM_ADVISE_SET_ACCESSED_BY)
CUPOOL_NUMBER(MemoryAdvice::unset_accessed_by, CU_MEM_ADVISE_UNSET_ACCESSED_BY)
CUPOOL_NUMBER(MemoryRangeAttribute::read_mostly, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)
CUPOOL_NUMBER(MemoryRangeAttribute::preferred_location, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION)
CUPOOL_NUMBER(MemoryRangeAttribute::last_prefetch_location, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION)
CUPOOL_NUMBER(host_device, CU_DEVICE_CPU)
CUPOOL_NUMBER(no_location, CU_DEVICE_INVALID)
// clang-format on

}  // namespace cupool::abi
