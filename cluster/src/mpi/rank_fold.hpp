#pragma once

#include <cstddef>
#include <cupool/kernels/reduce.hpp>
#include <span>

namespace cupool::detail {

/// results[i] = values[i] (op) values[n + i] (op) values[2 n + i] ..., from left to right, for n results: the values of one rank behind
/// those of another one. 16-bit floats are combined as float, and rounded once. It runs on the calling thread, which reads the values from
/// its cache where they have just arrived.
template <class T>
void fold_ranks(std::span<const T> values, ReduceOperation operation, std::span<T> results);

}  // namespace cupool::detail
