#pragma once

#include <cupool/pool/device_pool.hpp>
#include <span>
#include <string>

#include "options/engine_options.hpp"

namespace cupool::tools {

/// Whether two results have the same bits, including NaNs and zeros.
template <class T>
bool same_bits(T left, T right);

/// Whether a plain loop over the input agrees with a result. Float sums must agree within the error
/// bound of the tree of docs/reduce.md: its longest path * epsilon * the sum of magnitudes (Higham,
/// Accuracy and Stability of Numerical Algorithms, section 4.2), plus the error of the loop and one
/// rounding to R. All other results must be equal. \param compensated  as in ReduceConfig
template <class T, class R>
bool agrees_with_plain_loop(std::span<const T> input, ReduceOperation operation, bool compensated, R result);
/// Whether a plain loop over the input finds the same element.
template <class T>
bool agrees_with_plain_loop(std::span<const T> input, ArgOperation operation, const IndexedValue<T>& result);

/// Computes a reduction a second time and compares: on the other engine, or with a plain loop if
/// there is only the host. \param engine  on which the result was computed \return how the result was checked, for people
/// \throws CheckFailed, or what the reduction throws
/// \{
template <class T, class R>
std::string check_reduce(std::span<const T> input, ReduceOperation operation, bool compensated, R result, Engine engine,
                         const EngineOptions& options);
template <class T>
std::string check_arg_reduce(std::span<const T> input, ArgOperation operation, const IndexedValue<T>& result, Engine engine,
                             const EngineOptions& options);
/// Checks the results of segments; a plain loop reduces each of them separately.
template <class T, class R>
std::string check_reduce_segments(std::span<const T> input, const Segments& segments, ReduceOperation operation, bool compensated,
                                  std::span<const R> results, Engine engine, const EngineOptions& options);
/// \}

}  // namespace cupool::tools
