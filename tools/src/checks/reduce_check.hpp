#pragma once

#include <cupool/pool/device_pool.hpp>
#include <span>
#include <string>

#include "options/engine_options.hpp"

namespace cupool::tools {

/// Whether two results are the same to the bit, NaNs and zeros included.
template <class T>
bool same_bits(T left, T right);

/// Whether a plain loop over the input agrees with a result: exactly, but for float sums, which it holds to the error bound of the tree
/// that docs/reduce.md describes: the longest path through it * epsilon * the sum of magnitudes (Higham, Accuracy and Stability of
/// Numerical Algorithms, section 4.2), the loop's own, and one rounding to R. \param compensated  as in ReduceConfig
template <class T, class R>
bool agrees_with_plain_loop(std::span<const T> input, ReduceOperation operation, bool compensated, R result);
/// Whether a plain loop over the input finds the same element.
template <class T>
bool agrees_with_plain_loop(std::span<const T> input, ArgOperation operation, const IndexedValue<T>& result);

/// Computes a reduction a second way and compares: on the engine that `pool` is not; where there is only the host, with a plain loop.
/// \return how it was checked, for people \throws CheckFailed, or what the reduction throws
/// \{
template <class T, class R>
std::string check_reduce(std::span<const T> input, ReduceOperation operation, bool compensated, R result, const DevicePool& pool,
                         const EngineOptions& options);
template <class T>
std::string check_arg_reduce(std::span<const T> input, ArgOperation operation, const IndexedValue<T>& result, const DevicePool& pool,
                             const EngineOptions& options);
/// Of segments, of which a plain loop takes each by itself.
template <class T, class R>
std::string check_reduce_segments(std::span<const T> input, const Segments& segments, ReduceOperation operation, bool compensated,
                                  std::span<const R> results, const DevicePool& pool, const EngineOptions& options);
/// \}

}  // namespace cupool::tools
