#pragma once

#include <concepts>
#include <cstdint>
#include <cupool/driver/device_context.hpp>
#include <cupool/kernels/float16.hpp>
#include <cupool/kernels/operand.hpp>
#include <cupool/kernels/run_report.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace cupool {

/// How a reduction combines its elements; see reduce() for NaN, zeros and empty input. `product` is for integers.
enum class ReduceOperation { sum, product, min, max };

std::string to_string(ReduceOperation operation);
std::ostream& operator<<(std::ostream& out, ReduceOperation operation);
std::optional<ReduceOperation> reduce_operation_from_name(std::string_view name);

/// Which element arg_reduce() looks for.
enum class ArgOperation { min, max };

/// "argmin" and "argmax".
std::string to_string(ArgOperation operation);
std::ostream& operator<<(std::ostream& out, ArgOperation operation);
std::optional<ArgOperation> arg_operation_from_name(std::string_view name);

/// The element types of reductions.
template <class T>
concept ReduceElement =
    std::same_as<T, std::int8_t> || std::same_as<T, std::uint8_t> || std::same_as<T, std::int16_t> || std::same_as<T, std::uint16_t> ||
    std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, Float16> || std::same_as<T, BFloat16> || std::same_as<T, float> || std::same_as<T, double>;

namespace detail {

template <class T>
struct WideOf {
    using Type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
};
template <>
struct WideOf<Float16> {
    using Type = float;
};
template <>
struct WideOf<BFloat16> {
    using Type = float;
};
template <>
struct WideOf<float> {
    using Type = double;
};
template <>
struct WideOf<double> {
    using Type = double;
};

}  // namespace detail

/// The wider result type of elements of type T: 64-bit integers, float for the 16-bit floats, double for float. 64-bit types have no wider
/// one.
template <ReduceElement T>
using Wide = typename detail::WideOf<T>::Type;

/// The result types of elements of type T.
template <class R, class T>
concept ReduceResult = ReduceElement<T> &&(std::same_as<R, T> || std::same_as<R, Wide<T>>);

/// An element and its index.
template <class T>
struct IndexedValue {
    T value{};                ///< the element
    std::uint64_t index = 0;  ///< its index in the array, from 0

    friend bool operator==(const IndexedValue&, const IndexedValue&) = default;
};

/// How a reduction runs.
struct ReduceConfig {
    DeviceContext ctx;      ///< the device, stream and memory pool that do the work, or DeviceContext::host()
    bool is_async = false;  ///< with results on the device: return when the work is enqueued on the stream. Otherwise it has no effect.
    /// Sums of float accumulate in double, those of double in double-double arithmetic, rounded once at the end. For R = T.
    /// It has no effect on other sums and operations.
    bool compensated = false;
    /// Device memory for intermediate values: at least as many bytes as reduce_workspace_bytes() and similar functions return,
    /// aligned to 16 bytes; later work of the stream may reuse it. If it is empty, the memory comes from ctx's pool for a
    /// result on the device; for a result on the host it is memory that the context keeps for such calls (docs/reduce.md).
    DeviceSpan<std::byte> workspace{};

    /// The null stream and default memory pool of a device. \throws as DeviceContext::default_for_device()
    static ReduceConfig default_for_device(int device, SourceLocation where = SourceLocation::current());
    /// All cores of the host.
    static ReduceConfig default_for_host();
};

/// Computes the sum, product, minimum or maximum of an array, on one device, or on the host's cores if `config.ctx` is the host.
///
/// R is T or Wide<T>. Integer sums and products wrap in R's width. Sums of floats accumulate in R, those of 16-bit floats in float, rounded
/// once at the end (see also ReduceConfig::compensated); their order depends on the length and T alone (docs/reduce.md), so every engine
/// and device gives the same bits. A minimum or maximum is one of the elements; a NaN wins, and -0 < +0. A NaN result is the canonical
/// quiet NaN of its type. The sum of nothing is 0, its product 1; its minimum and maximum are `invalid_argument`.
///
/// A device operand is aligned to its element. Operand, result and workspace do not overlap on a device. A result on the host is read
/// back into page-locked memory that the context keeps, with 256 KiB of device memory, for each concurrent call (docs/reduce.md).
/// Returns when the result is on the host; work is ordered on the context's stream. Thread-safe. \throws Error invalid_argument (see
/// above; an operand or workspace is misaligned, is at address 0 or overlaps another array, the workspace is too small), unsupported
/// (a product of floats), wrong_context (the operand lies on another device), out_of_memory, and any error of the driver.
template <class T, class R>
requires ReduceResult<R, T> RunReport reduce(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config, R& result,
                                             SourceLocation where = SourceLocation::current());

/// The same with the result in memory of config.ctx's device (a span of one element), where later work of the stream
/// may read it. With config.is_async the call returns when the work is enqueued; until the work is done, operand,
/// result and workspace must not change. If the operand is in host memory, the call waits for the stream nevertheless.
/// \throws additionally Error invalid_argument if the span has another size, unsupported if the context is the host
template <class T, class R>
requires ReduceResult<R, T> RunReport reduce(const Operand<T>& input, ReduceOperation operation, const ReduceConfig& config,
                                             DeviceSpan<R> result, SourceLocation where = SourceLocation::current());

/// The same with the default configuration of a context.
template <class T>
RunReport reduce(const Operand<T>& input, ReduceOperation operation, const DeviceContext& context, T& result,
                 SourceLocation where = SourceLocation::current()) {
    return reduce<T, T>(input, operation, ReduceConfig{.ctx = context}, result, where);
}

/// Bytes of workspace that reduce() and arg_reduce() take for `count` elements on a device. An
/// operand in host memory also takes memory of the pool.
template <ReduceElement T>
std::size_t reduce_workspace_bytes(std::size_t count);

/// The minimum or maximum and its index: the lowest index among equals. The first NaN wins over everything, its value the canonical NaN;
/// -0 < +0. Otherwise as reduce(). \throws additionally Error invalid_argument for an empty operand
template <ReduceElement T>
RunReport arg_reduce(const Operand<T>& input, ArgOperation operation, const ReduceConfig& config, IndexedValue<T>& result,
                     SourceLocation where = SourceLocation::current());

/// The division of an array into consecutive segments.
class Segments {
public:
    /// `count` segments of `length` elements each.
    static Segments equal(std::size_t count, std::size_t length);
    /// Segment k has the elements offsets[k] to offsets[k + 1] - 1: one offset more than there are segments, ascending, none larger than
    /// the array. Offsets on a device lie on that of the context. An empty array of offsets is refused: zero segments have one offset.
    static Segments offsets(const Operand<std::uint64_t>& offsets);

    /// Whether all segments have the same length: made by equal().
    bool is_equal() const { return is_equal_; }
    /// The number of segments.
    std::size_t count() const { return count_; }
    /// The length of each segment. \pre is_equal()
    std::size_t length() const { return length_; }
    /// \pre !is_equal()
    const Operand<std::uint64_t>& offsets() const { return offsets_; }

private:
    Segments(bool is_equal, std::size_t count, std::size_t length, const Operand<std::uint64_t>& offsets)
        : is_equal_(is_equal), count_(count), length_(length), offsets_(offsets) {}

    bool is_equal_;
    std::size_t count_;
    std::size_t length_;
    Operand<std::uint64_t> offsets_;
};

/// Reduces each segment: its result equals that of reduce() for the segment alone, bit for bit. An empty
/// segment gives 0 for a sum and 1 for a product. There are as many results as segments, in host memory or in
/// memory of the context's device, where they overlap neither the input nor the offsets. Otherwise as reduce().
/// \throws additionally Error invalid_argument: the number of results is not that of the segments, there is no
/// offset, the lengths of equal segments do not add up to the operand, an offset is below its predecessor or
/// larger than the operand (the message names its index), or a minimum or maximum of an empty segment
///
/// Offsets are checked on the host: the call copies offsets on a device there first and waits for
/// that. It takes no workspace: intermediate values of segments of more than 16384 bytes lie in
/// memory of ctx's pool (docs/reduce.md). An operand in host memory is uploaded as a whole.
template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_segments(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                                      const ReduceConfig& config, std::span<R> results,
                                                      SourceLocation where = SourceLocation::current());
template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_segments(const Operand<T>& input, const Segments& segments, ReduceOperation operation,
                                                      const ReduceConfig& config, DeviceSpan<R> results,
                                                      SourceLocation where = SourceLocation::current());

/// A three-dimensional array [outer][middle][inner] in row-major order.
struct MiddleShape {
    std::size_t outer = 0;   ///< the slowest dimension
    std::size_t middle = 0;  ///< the one that is reduced
    std::size_t inner = 0;   ///< the fastest dimension
};

/// Reduces the middle dimension: results[o * inner + i] combines input[(o * middle + m) * inner + i] over all m. Results are in
/// host memory or in memory of the context's device, where they overlap neither the input nor the workspace. The order of a float
/// sum depends on `middle` alone (docs/reduce.md), so every engine and device gives the same bits. If `middle` is 0, a sum is 0
/// and a product 1. An operand in host memory is uploaded as a whole. Otherwise as reduce(), is_async included. \throws
/// additionally Error invalid_argument: input or results do not have the sizes of the shape, or a minimum or maximum over nothing
template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_middle(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation,
                                                    const ReduceConfig& config, std::span<R> results,
                                                    SourceLocation where = SourceLocation::current());
template <class T, class R>
requires ReduceResult<R, T> RunReport reduce_middle(const Operand<T>& input, const MiddleShape& shape, ReduceOperation operation,
                                                    const ReduceConfig& config, DeviceSpan<R> results,
                                                    SourceLocation where = SourceLocation::current());

/// Bytes of workspace that reduce_middle() takes on a device; 0 for a middle of up to 64 elements, which
/// needs none. An operand or results in host memory also take memory of the pool. \pre an array has the shape
std::size_t reduce_middle_workspace_bytes(const MiddleShape& shape);

/// target[i] = target[i] (op) source[i] on the context's device and stream, asynchronously; both spans live on that device, have equal
/// sizes, and are the same array or do not overlap. 16-bit floats are added in float and rounded. \throws Error invalid_argument,
/// wrong_context, unsupported (the context is the host, or a product of floats).
template <class T>
void combine_elements(DeviceSpan<T> target, DeviceSpan<const T> source, ReduceOperation operation, const DeviceContext& context,
                      SourceLocation where = SourceLocation::current());

}  // namespace cupool
