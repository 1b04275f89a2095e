#pragma once

#include <cupool/driver/abi.hpp>

#include "objects/graph.hpp"

namespace cupool::simulator {

struct Context;

/// A copy of rows and slices, its pageable memory as it is when the copy runs. Fails with invalid_value, and not_supported for arrays.
Work copy_of_block(const abi::Copy3D& copy);

/// What a graph's node does that copies a block of bytes.
NodeAction copy_action(const Context& context, const abi::Copy3D& parameters);

/// The same for a node that sets a row of elements of 1, 2 or 4 bytes.
NodeAction set_action(const Context& context, const abi::SetNodeParameters& parameters);

}  // namespace cupool::simulator
