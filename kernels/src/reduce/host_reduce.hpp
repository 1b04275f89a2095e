#pragma once

#include <cupool/kernels/reduce.hpp>
#include <span>

namespace cupool::detail {

/// cupool::reduce() on up to `threads` of the host's cores, in the order of docs/reduce.md. \pre the input is not empty
template <class T>
T reduce_on_host(std::span<const T> input, ReduceOperation operation, unsigned threads);

}  // namespace cupool::detail
