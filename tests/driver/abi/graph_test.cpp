// The declarations of <cupool/driver/abi/graph.hpp>, compared with cuda.h.

#include "abi/cuda_header.hpp"

namespace cupool::abi {

// clang-format off
CUPOOL_NUMBER(GraphNodeType::kernel, CU_GRAPH_NODE_TYPE_KERNEL)
CUPOOL_NUMBER(GraphNodeType::copy, CU_GRAPH_NODE_TYPE_MEMCPY)
CUPOOL_NUMBER(GraphNodeType::set, CU_GRAPH_NODE_TYPE_MEMSET)
CUPOOL_NUMBER(GraphNodeType::host_function, CU_GRAPH_NODE_TYPE_HOST)
CUPOOL_NUMBER(GraphNodeType::child_graph, CU_GRAPH_NODE_TYPE_GRAPH)
CUPOOL_NUMBER(GraphNodeType::empty, CU_GRAPH_NODE_TYPE_EMPTY)
CUPOOL_NUMBER(GraphNodeType::event_wait, CU_GRAPH_NODE_TYPE_WAIT_EVENT)
CUPOOL_NUMBER(GraphNodeType::event_record, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
CUPOOL_NUMBER(GraphNodeType::external_semaphore_signal, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL)
CUPOOL_NUMBER(GraphNodeType::external_semaphore_wait, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT)
CUPOOL_NUMBER(GraphNodeType::memory_allocation, CU_GRAPH_NODE_TYPE_MEM_ALLOC)
CUPOOL_NUMBER(GraphNodeType::memory_free, CU_GRAPH_NODE_TYPE_MEM_FREE)
CUPOOL_NUMBER(GraphNodeType::batch_memory_operation, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
CUPOOL_NUMBER(GraphNodeType::conditional, CU_GRAPH_NODE_TYPE_CONDITIONAL)
CUPOOL_NUMBER(GraphUpdateResult::success, CU_GRAPH_EXEC_UPDATE_SUCCESS)
CUPOOL_NUMBER(GraphUpdateResult::error, CU_GRAPH_EXEC_UPDATE_ERROR)
CUPOOL_NUMBER(GraphUpdateResult::topology_changed, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED)
CUPOOL_NUMBER(GraphUpdateResult::node_type_changed, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED)
CUPOOL_NUMBER(GraphUpdateResult::function_changed, CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED)
CUPOOL_NUMBER(GraphUpdateResult::parameters_changed, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED)
CUPOOL_NUMBER(GraphUpdateResult::not_supported, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED)
CUPOOL_NUMBER(GraphUpdateResult::unsupported_function_change, CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE)
CUPOOL_NUMBER(GraphUpdateResult::attributes_changed, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED)
// clang-format on

CUPOOL_LAYOUT(KernelNodeParameters, CUDA_KERNEL_NODE_PARAMS_v1)
CUPOOL_MEMBER(KernelNodeParameters, function, CUDA_KERNEL_NODE_PARAMS_v1, func)
CUPOOL_MEMBER(KernelNodeParameters, grid_x, CUDA_KERNEL_NODE_PARAMS_v1, gridDimX)
CUPOOL_MEMBER(KernelNodeParameters, grid_y, CUDA_KERNEL_NODE_PARAMS_v1, gridDimY)
CUPOOL_MEMBER(KernelNodeParameters, grid_z, CUDA_KERNEL_NODE_PARAMS_v1, gridDimZ)
CUPOOL_MEMBER(KernelNodeParameters, block_x, CUDA_KERNEL_NODE_PARAMS_v1, blockDimX)
CUPOOL_MEMBER(KernelNodeParameters, block_y, CUDA_KERNEL_NODE_PARAMS_v1, blockDimY)
CUPOOL_MEMBER(KernelNodeParameters, block_z, CUDA_KERNEL_NODE_PARAMS_v1, blockDimZ)
CUPOOL_MEMBER(KernelNodeParameters, dynamic_shared_bytes, CUDA_KERNEL_NODE_PARAMS_v1, sharedMemBytes)
CUPOOL_MEMBER(KernelNodeParameters, parameters, CUDA_KERNEL_NODE_PARAMS_v1, kernelParams)
CUPOOL_MEMBER(KernelNodeParameters, extra, CUDA_KERNEL_NODE_PARAMS_v1, extra)

CUPOOL_LAYOUT(SetNodeParameters, CUDA_MEMSET_NODE_PARAMS_v1)
CUPOOL_MEMBER(SetNodeParameters, target, CUDA_MEMSET_NODE_PARAMS_v1, dst)
CUPOOL_MEMBER(SetNodeParameters, pitch, CUDA_MEMSET_NODE_PARAMS_v1, pitch)
CUPOOL_MEMBER(SetNodeParameters, value, CUDA_MEMSET_NODE_PARAMS_v1, value)
CUPOOL_MEMBER(SetNodeParameters, element_bytes, CUDA_MEMSET_NODE_PARAMS_v1, elementSize)
CUPOOL_MEMBER(SetNodeParameters, width, CUDA_MEMSET_NODE_PARAMS_v1, width)
CUPOOL_MEMBER(SetNodeParameters, height, CUDA_MEMSET_NODE_PARAMS_v1, height)

CUPOOL_LAYOUT(HostNodeParameters, CUDA_HOST_NODE_PARAMS_v1)
CUPOOL_MEMBER(HostNodeParameters, function, CUDA_HOST_NODE_PARAMS_v1, fn)
CUPOOL_MEMBER(HostNodeParameters, user_data, CUDA_HOST_NODE_PARAMS_v1, userData)

}  // namespace cupool::abi
