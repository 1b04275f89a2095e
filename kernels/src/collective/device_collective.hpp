#pragma once

#include <cstdint>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/reduce.hpp>
#include <span>

#include "peer_arrays.hpp"

namespace cupool::detail {

struct ShippedCode;

/// An element type of combine_peers().
struct PeerElement {
    const ShippedCode* code;  ///< its kernels
    std::size_t bytes;        ///< of one element
};

/// The type's PeerElement. T is one of those of reduce().
template <class T>
PeerElement peer_element();

/// outputs[...][i] = inputs[0][i] (op) inputs[1][i] (op) ..., from left to right, for `count` elements, on the context's device and stream,
/// asynchronously. The arrays lie in memory that the device reaches, aligned to their elements; they are the same or do not overlap.
/// \pre  1 to max_peers inputs, and as many outputs
void combine_peers(PeerElement element, ReduceOperation operation, std::span<const abi::DevicePointer> inputs,
                   std::span<const abi::DevicePointer> outputs, std::uint64_t count, const DeviceContext& context);

}  // namespace cupool::detail
