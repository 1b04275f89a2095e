#pragma once

#include <cupool/kernels/reduce.hpp>

namespace cupool::detail {

/// cupool::reduce() on the context's device, after validation: the input is not empty and a device operand lies on that device.
template <class T>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const DeviceContext& context, T& result);

}  // namespace cupool::detail
