#pragma once

/// \file
/// Attributes of functions, and the configuration of launches.

#include <cstddef>
#include <cupool/driver/abi/handles.hpp>

namespace cupool::abi {

/// CUoccupancyB2DSize: the dynamic shared memory in bytes that blocks of a size need.
using BlockSizeToSharedBytes = std::size_t (*)(int block_size);

/// CUfunction_attribute, restricted to those that cupool queries or sets.
enum class FunctionAttribute : int {
    max_threads_per_block = 0,
    shared_size_bytes = 1,
    const_size_bytes = 2,
    local_size_bytes = 3,
    register_count = 4,
    ptx_version = 5,
    binary_version = 6,
    cache_mode_ca = 7,
    max_dynamic_shared_size_bytes = 8,
    preferred_shared_memory_carveout = 9,
    cluster_size_must_be_set = 10,
    required_cluster_width = 11,
    required_cluster_height = 12,
    required_cluster_depth = 13,
    non_portable_cluster_size_allowed = 14,
    cluster_scheduling_policy = 15,
};

/// CUlaunchAttributeID, restricted to those that cupool passes.
enum class LaunchAttributeId : int {
    ignore = 0,
    cooperative = 2,
    cluster_dimension = 4,
    programmatic_stream_serialization = 6,
    priority = 8,
};

/// The number of blocks of a cluster in each dimension.
struct ClusterDimension {
    unsigned x;
    unsigned y;
    unsigned z;
};

/// CUlaunchAttributeValue.
union LaunchAttributeValue {
    alignas(8) char bytes[64];
    int cooperative;
    ClusterDimension cluster_dimension;
    int programmatic_stream_serialization;
    int priority;
};

/// CUlaunchAttribute.
struct LaunchAttribute {
    LaunchAttributeId id;
    char padding[4];
    LaunchAttributeValue value;
};

/// CUlaunchConfig.
struct LaunchConfig {
    unsigned grid_x;
    unsigned grid_y;
    unsigned grid_z;
    unsigned block_x;
    unsigned block_y;
    unsigned block_z;
    unsigned dynamic_shared_bytes;
    Stream stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};

}  // namespace cupool::abi
