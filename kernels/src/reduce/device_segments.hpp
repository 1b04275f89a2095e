#pragma once

/// \file
/// Reductions of segments on the context's device, after validation: operands and results lie where they must, there is a segment, and
/// segments lie in the operand.

#include <cupool/kernels/reduce.hpp>

namespace cupool::detail {

/// \param longest  the elements of the longest segment
template <class T, class R>
RunReport reduce_segments_on_device(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                    const ReduceConfig& config, std::uint64_t longest, DeviceSpan<R> results);
template <class T, class R>
RunReport reduce_segments_on_device(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                    const ReduceConfig& config, std::uint64_t longest, std::span<R> results);

}  // namespace cupool::detail
