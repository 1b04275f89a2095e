#pragma once

/// \file
/// Reductions of whole arrays on the context's device, after validation: the input is not empty, a device operand lies on that device and
/// is aligned to its element, and a workspace is large enough.

#include <cupool/kernels/reduce.hpp>

#include "reduce/accumulator.hpp"

namespace cupool::detail {

/// Bytes of the count of finished blocks, which workspaces begin with.
inline constexpr std::size_t reduce_counter_bytes = 16;
/// Bytes of the largest accumulator.
inline constexpr std::size_t reduce_accumulator_bytes = 16;

template <class T, class R>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, R& result);

template <class T, class R>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, DeviceSpan<R> result);

/// A step of a sum that several devices share: the values of a part's tiles, queued on the context's stream.
/// \param part  of an array of floats, from the beginning of a tile on
/// \param tile_elements  of that array: see reduce_tile_elements()
/// \param values  on the same device, as many as the part has tiles
template <class T, class R>
void sum_tiles_on_device(DeviceSpan<const T> part, std::uint64_t tile_elements, const DeviceContext& context,
                         DeviceSpan<Accumulator<T, R>> values);

template <class T>
RunReport arg_reduce_on_device(const Operand<T>& input, ArgOperation operation, const ReduceConfig& config, IndexedValue<T>& result);

}  // namespace cupool::detail
