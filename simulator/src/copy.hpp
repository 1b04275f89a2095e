#pragma once

#include <cupool/driver/abi.hpp>

#include "graph.hpp"

namespace cupool::simulator {

struct Context;

/// What a graph's node does that copies a row of bytes; whole blocks, of several rows, are not simulated.
NodeAction copy_action(const Context& context, const abi::CopyNodeParameters& parameters);

/// The same for a node that sets a row of elements of 1, 2 or 4 bytes.
NodeAction set_action(const Context& context, const abi::SetNodeParameters& parameters);

}  // namespace cupool::simulator
