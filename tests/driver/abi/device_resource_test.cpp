// The declarations of <cupool/driver/abi/device_resource.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(ResourceType::invalid, CU_DEV_RESOURCE_TYPE_INVALID)
CUPOOL_NUMBER(ResourceType::multiprocessors, CU_DEV_RESOURCE_TYPE_SM)
// clang-format on

CUPOOL_LAYOUT(MultiprocessorResource, CUdevSmResource)
CUPOOL_MEMBER(MultiprocessorResource, count, CUdevSmResource, smCount)
CUPOOL_MEMBER(MultiprocessorResource, min_partition_size, CUdevSmResource, minSmPartitionSize)
CUPOOL_MEMBER(MultiprocessorResource, coscheduled_alignment, CUdevSmResource, smCoscheduledAlignment)

CUPOOL_LAYOUT(DeviceResource, CUdevResource)
CUPOOL_MEMBER(DeviceResource, type, CUdevResource, type)
CUPOOL_MEMBER(DeviceResource, multiprocessors, CUdevResource, sm)

}  // namespace cupool::abi
