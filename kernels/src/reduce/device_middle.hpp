#pragma once

/// \file
/// Reductions over the middle dimension on the context's device, after validation: operands and results lie where they must, there is a
/// result, input and results have the sizes of the shape, and a workspace is large enough.

#include <cupool/kernels/reduce.hpp>

namespace cupool::detail {

template <class T, class R>
RunReport reduce_middle_on_device(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation, const ReduceConfig& config,
                                  DeviceSpan<R> results);
template <class T, class R>
RunReport reduce_middle_on_device(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation, const ReduceConfig& config,
                                  std::span<R> results);

}  // namespace cupool::detail
