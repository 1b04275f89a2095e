// The declarations of <cupool/driver/abi/kernel.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

static_assert(std::is_same_v<BlockSizeToSharedBytes, CUoccupancyB2DSize>);

// clang-format off
CUPOOL_NUMBER(FunctionAttribute::max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
CUPOOL_NUMBER(FunctionAttribute::shared_size_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
CUPOOL_NUMBER(FunctionAttribute::const_size_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)
CUPOOL_NUMBER(FunctionAttribute::local_size_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
CUPOOL_NUMBER(FunctionAttribute::register_count, CU_FUNC_ATTRIBUTE_NUM_REGS)
CUPOOL_NUMBER(FunctionAttribute::ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION)
CUPOOL_NUMBER(FunctionAttribute::binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION)
CUPOOL_NUMBER(FunctionAttribute::max_dynamic_shared_size_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
CUPOOL_NUMBER(FunctionAttribute::cache_mode_ca, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA)
CUPOOL_NUMBER(FunctionAttribute::preferred_shared_memory_carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
CUPOOL_NUMBER(FunctionAttribute::cluster_size_must_be_set, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET)
CUPOOL_NUMBER(FunctionAttribute::required_cluster_width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)
CUPOOL_NUMBER(FunctionAttribute::required_cluster_height, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT)
CUPOOL_NUMBER(FunctionAttribute::required_cluster_depth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)
CUPOOL_NUMBER(FunctionAttribute::non_portable_cluster_size_allowed, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
CUPOOL_NUMBER(FunctionAttribute::cluster_scheduling_policy, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
CUPOOL_NUMBER(LaunchAttributeId::ignore, CU_LAUNCH_ATTRIBUTE_IGNORE)
CUPOOL_NUMBER(LaunchAttributeId::cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
CUPOOL_NUMBER(LaunchAttributeId::cluster_dimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
CUPOOL_NUMBER(LaunchAttributeId::programmatic_stream_serialization, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
CUPOOL_NUMBER(LaunchAttributeId::priority, CU_LAUNCH_ATTRIBUTE_PRIORITY)
// clang-format on

CUPOOL_LAYOUT(LaunchAttributeValue, CUlaunchAttributeValue)
CUPOOL_MEMBER(LaunchAttributeValue, bytes, CUlaunchAttributeValue, pad)
CUPOOL_MEMBER(LaunchAttributeValue, cooperative, CUlaunchAttributeValue, cooperative)
CUPOOL_MEMBER(LaunchAttributeValue, cluster_dimension, CUlaunchAttributeValue, clusterDim)
CUPOOL_MEMBER(LaunchAttributeValue, programmatic_stream_serialization, CUlaunchAttributeValue, programmaticStreamSerializationAllowed)
CUPOOL_MEMBER(LaunchAttributeValue, priority, CUlaunchAttributeValue, priority)

CUPOOL_LAYOUT(LaunchAttribute, CUlaunchAttribute)
CUPOOL_MEMBER(LaunchAttribute, id, CUlaunchAttribute, id)
CUPOOL_MEMBER(LaunchAttribute, value, CUlaunchAttribute, value)

CUPOOL_LAYOUT(LaunchConfig, CUlaunchConfig)
CUPOOL_MEMBER(LaunchConfig, grid_x, CUlaunchConfig, gridDimX)
CUPOOL_MEMBER(LaunchConfig, grid_y, CUlaunchConfig, gridDimY)
CUPOOL_MEMBER(LaunchConfig, grid_z, CUlaunchConfig, gridDimZ)
CUPOOL_MEMBER(LaunchConfig, block_x, CUlaunchConfig, blockDimX)
CUPOOL_MEMBER(LaunchConfig, block_y, CUlaunchConfig, blockDimY)
CUPOOL_MEMBER(LaunchConfig, block_z, CUlaunchConfig, blockDimZ)
CUPOOL_MEMBER(LaunchConfig, dynamic_shared_bytes, CUlaunchConfig, sharedMemBytes)
CUPOOL_MEMBER(LaunchConfig, stream, CUlaunchConfig, hStream)
CUPOOL_MEMBER(LaunchConfig, attributes, CUlaunchConfig, attrs)
CUPOOL_MEMBER(LaunchConfig, attribute_count, CUlaunchConfig, numAttrs)

}  // namespace cupool::abi
