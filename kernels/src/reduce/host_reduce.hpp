#pragma once

/// \file
/// Reductions on the host's cores, in the order of docs/reduce.md. Operands have been validated. Each call throws std::bad_alloc where the
/// host has no memory for intermediate values. Thread-safe.

#include <cupool/kernels/reduce.hpp>
#include <span>

#include "reduce/accumulator.hpp"

#include "support/host_vector_unit.hpp"

namespace cupool::detail {

/// How a reduction on the host runs; results do not depend on it.
struct HostReduceOptions {
    unsigned threads = 1;  ///< as many as are used at most
    VectorUnit vectors = host_vector_unit();
};

/// \param compensated  as in ReduceConfig
/// \pre the input is not empty, and `operation` is no product of floats
template <class T, class R>
R reduce_on_host(std::span<const T> input, ReduceOperation operation, bool compensated, const HostReduceOptions& options);

/// The last step of a sum of floats that several devices share: from the values of all tiles to the result.
template <class T, class R>
R sum_tile_values_on_host(std::span<const Accumulator<T, R>> values);

/// \pre the input is not empty
template <class T>
IndexedValue<T> arg_reduce_on_host(std::span<const T> input, ArgOperation operation, const HostReduceOptions& options);

/// \pre the segments lie in the input, as many as there are results; offsets are in host memory; `operation` is no minimum or maximum
/// where a segment is empty, and no product of floats
template <class T, class R>
void reduce_segments_on_host(std::span<const T> input, const Segments& segments, ReduceOperation operation, bool compensated,
                             const HostReduceOptions& options, std::span<R> results);

/// \pre the input has the shape, and there is a result for each (outer, inner); the middle dimension is not empty, unless the operation has
/// an identity; `operation` is no product of floats
template <class T, class R>
void reduce_middle_on_host(std::span<const T> input, const MiddleShape& shape, ReduceOperation operation, bool compensated,
                           const HostReduceOptions& options, std::span<R> results);

}  // namespace cupool::detail
