#pragma once

/// \file
/// Reductions of whole arrays on the context's device, after validation: the input is not empty, a device operand lies on that device and
/// is aligned to its element, and a workspace is large enough.

#include <cupool/kernels/reduce.hpp>

namespace cupool::detail {

/// Bytes of the count of finished blocks, which workspaces begin with.
inline constexpr std::size_t reduce_counter_bytes = 16;
/// Bytes of the largest accumulator.
inline constexpr std::size_t reduce_accumulator_bytes = 16;

template <class T, class R>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, R& result);

template <class T, class R>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, DeviceSpan<R> result);

template <class T>
RunReport arg_reduce_on_device(const Operand<T>& input, ArgOperation operation, const ReduceConfig& config, IndexedValue<T>& result);

}  // namespace cupool::detail
