#pragma once

/// \file
/// Nodes of graphs and results of graph updates. The parameters of a copy node are those of Copy3D.

#include <cstddef>
#include <cupool/driver/abi/handles.hpp>
#include <cupool/driver/abi/stream_and_event.hpp>

namespace cupool::abi {

/// CUgraphNodeType.
enum class GraphNodeType : int {
    kernel = 0,
    copy = 1,
    set = 2,
    host_function = 3,
    child_graph = 4,
    empty = 5,
    event_wait = 6,
    event_record = 7,
    external_semaphore_signal = 8,
    external_semaphore_wait = 9,
    memory_allocation = 10,
    memory_free = 11,
    batch_memory_operation = 12,
    conditional = 13,
};

/// CUgraphExecUpdateResult.
enum class GraphUpdateResult : int {
    success = 0,
    error = 1,
    topology_changed = 2,
    node_type_changed = 3,
    function_changed = 4,
    parameters_changed = 5,
    not_supported = 6,
    unsupported_function_change = 7,
    attributes_changed = 8,
};

/// CUDA_KERNEL_NODE_PARAMS_v1.
struct KernelNodeParameters {
    Function function;
    unsigned grid_x;
    unsigned grid_y;
    unsigned grid_z;
    unsigned block_x;
    unsigned block_y;
    unsigned block_z;
    unsigned dynamic_shared_bytes;
    void** parameters;
    void** extra;
};

/// CUDA_MEMSET_NODE_PARAMS_v1.
struct SetNodeParameters {
    DevicePointer target;
    std::size_t pitch;
    unsigned value;
    unsigned element_bytes;
    std::size_t width;
    std::size_t height;
};

/// CUDA_HOST_NODE_PARAMS_v1.
struct HostNodeParameters {
    HostFunction function;
    void* user_data;
};

}  // namespace cupool::abi
