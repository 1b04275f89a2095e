#pragma once

#include <cupool/driver/abi.hpp>

#include "objects/graph.hpp"

namespace cupool::simulator {

struct Context;

/// A 3D copy that reads and writes pageable memory when it runs. Fails with invalid_value, or not_supported for arrays.
Work copy_of_block(const abi::Copy3D& copy);

/// The action of a graph's copy node.
NodeAction copy_action(const Context& context, const abi::Copy3D& parameters);

/// The action of a graph's memset node, with elements of 1, 2 or 4 bytes.
NodeAction set_action(const Context& context, const abi::SetNodeParameters& parameters);

}  // namespace cupool::simulator
