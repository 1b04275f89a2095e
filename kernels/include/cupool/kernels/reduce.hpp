#pragma once

#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/run_report.hpp>
#include <optional>
#include <string_view>

namespace cupool {

/// What a reduction makes of its elements; see reduce() for NaN, zeros and empty input.
enum class ReduceOperation { sum, min, max };

std::string to_string(ReduceOperation operation);
std::ostream& operator<<(std::ostream& out, ReduceOperation operation);
std::optional<ReduceOperation> reduce_operation_from_name(std::string_view name);

/// The sum, minimum or maximum of an array, on one device or on the host's cores where `context` is the host.
///
/// T is one of std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double. Integer sums wrap. The order of a float sum depends
/// on the length alone (docs/reduce.md), so every engine and device gives the same bits; a NaN result is the canonical quiet NaN; NaN wins
/// min and max, and -0 < +0. The sum of nothing is 0; its minimum or maximum is `invalid_argument`. Returns when the result is on the host;
/// work is ordered on the context's stream. Thread-safe. \throws Error invalid_argument, wrong_context (the operand lives on another
/// device), out_of_memory, and whatever the driver answers.
template <class T>
RunReport reduce(const Operand<T>& input, ReduceOperation operation, const DeviceContext& context, T& result,
                 SourceLocation where = SourceLocation::current());

/// target[i] = target[i] (op) source[i] on the context's device and stream, asynchronously; both spans live on that device and have equal
/// sizes. \throws Error invalid_argument, wrong_context, unsupported (the context is the host).
template <class T>
void combine_elements(DeviceSpan<T> target, DeviceSpan<const T> source, ReduceOperation operation, const DeviceContext& context,
                      SourceLocation where = SourceLocation::current());

}  // namespace cupool
