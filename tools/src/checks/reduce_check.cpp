#include "checks/reduce_check.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "options/reduce_options.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

/// The maximum number of additions on the path of an element: one for each row of its tile, and a
/// bounded number in the folds and between tiles.
long double longest_path(std::size_t count, std::size_t element_bytes) {
    const auto rows = static_cast<long double>(count) * static_cast<long double>(element_bytes) / (4096.0L * 16384.0L);
    return 2 * rows + 128;
}

template <class T>
bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
    return false;
}

/// The order of min and max: -0 is less than +0.
template <class T>
bool is_less(T left, T right) {
    if constexpr (std::is_floating_point_v<T>) {
        if (left == right) return std::signbit(left) && !std::signbit(right);
    }
    return left < right;
}

/// The index of the minimum or maximum: the first NaN, else the first of equal elements.
template <class T>
std::size_t plain_extreme(std::span<const T> input, bool is_min) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < input.size(); ++i) {
        const auto extreme = number_of(input[best]);
        const auto value = number_of(input[i]);
        if (is_nan(extreme)) break;
        if (is_nan(value) || (is_min ? is_less(value, extreme) : is_less(extreme, value))) best = i;
    }
    return best;
}

template <class R, class T>
bool is_element(T element, R result) {
    const auto value = number_of(element);
    if (is_nan(value)) return is_nan(number_of(result));
    return same_bits(static_cast<decltype(number_of(result))>(value), number_of(result));
}

/// The largest finite value, the distance from 1 to the next value, and the smallest positive value.
struct FloatLimits {
    long double largest;
    long double epsilon;
    long double least;
};

template <class T>
constexpr FloatLimits limits_of() {
    if constexpr (std::is_same_v<T, Float16>) {
        return {65504, 0x1p-10L, 0x1p-24L};
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return {0x1.fep127L, 0x1p-7L, 0x1p-133L};
    } else {
        return {std::numeric_limits<T>::max(), std::numeric_limits<T>::epsilon(), std::numeric_limits<T>::denorm_min()};
    }
}

template <class T, class R>
bool agrees_with_plain_float_sum(std::span<const T> input, bool compensated, R result) {
    long double sum = 0;
    long double magnitudes = 0;
    for (const auto element : input) {
        const auto value = number_of(element);
        sum += value;
        magnitudes += std::abs(value);
    }
    const auto limits = limits_of<R>();
    const auto found = static_cast<long double>(number_of(result));
    if (!std::isfinite(found)) return !(magnitudes <= limits.largest);  // whether a sum overflows depends on its order
    auto accumulated = static_cast<long double>(std::numeric_limits<decltype(number_of(result))>::epsilon());
    if (compensated) accumulated = std::numeric_limits<double>::epsilon();
    if (compensated && std::is_same_v<R, double>) accumulated = 0x1p-104L;
    const auto error_bound = longest_path(input.size(), sizeof(T)) * accumulated +
                             static_cast<long double>(input.size()) * std::numeric_limits<long double>::epsilon();
    const auto rounding = limits.epsilon * std::abs(sum) + limits.least;
    return std::isfinite(magnitudes) && std::abs(sum - found) <= error_bound * magnitudes + rounding;
}

template <class T, class R>
bool agrees_with_plain_integer(std::span<const T> input, ReduceOperation operation, R result) {
    const bool is_sum = operation == ReduceOperation::sum;
    std::uint64_t combined = is_sum ? 0 : 1;
    for (const auto element : input) {
        const auto value = static_cast<std::uint64_t>(element);
        combined = is_sum ? combined + value : combined * value;
    }
    return static_cast<R>(combined) == result;
}

/// How the other engine checked the result, for people.
std::string method_of(const DevicePool& other) { return "the " + to_string(other.engine()) + " engine"; }

constexpr const char* plain_loop = "a plain loop";

void require_check(bool holds, const std::string& method) {
    if (!holds) throw CheckFailed("the check by " + method + " gives another result");
}

template <class T>
std::span<const T> segment(std::span<const T> input, const Segments& segments, std::size_t i) {
    if (segments.is_equal()) return input.subspan(i * segments.length(), segments.length());
    const auto offsets = segments.offsets().host();
    return input.subspan(offsets[i], offsets[i + 1] - offsets[i]);
}

}  // namespace

template <class T>
bool same_bits(T left, T right) {
    return std::memcmp(&left, &right, sizeof(T)) == 0;
}

template <class T, class R>
bool agrees_with_plain_loop(std::span<const T> input, ReduceOperation operation, bool compensated, R result) {
    if (operation == ReduceOperation::min || operation == ReduceOperation::max)
        return is_element(input[plain_extreme(input, operation == ReduceOperation::min)], result);
    if constexpr (std::is_integral_v<T>) {
        return agrees_with_plain_integer(input, operation, result);
    } else {
        return agrees_with_plain_float_sum(input, compensated, result);
    }
}

template <class T>
bool agrees_with_plain_loop(std::span<const T> input, ArgOperation operation, const IndexedValue<T>& result) {
    const auto index = plain_extreme(input, operation == ArgOperation::min);
    return result.index == index && is_element(input[index], result.value);
}

template <class T, class R>
std::string check_reduce(std::span<const T> input, ReduceOperation operation, bool compensated, R result, Engine engine,
                         const EngineOptions& options) {
    const auto other = open_other_pool(engine, options);
    if (other.engine() == engine) {
        require_check(agrees_with_plain_loop(input, operation, compensated, result), plain_loop);
        return plain_loop;
    }
    R expected{};
    reduce<T, R>(input, operation, ReduceConfig{.ctx = other.context_at(0), .compensated = compensated}, expected);
    require_check(same_bits(expected, result), method_of(other));
    return method_of(other);
}

template <class T>
std::string check_arg_reduce(std::span<const T> input, ArgOperation operation, const IndexedValue<T>& result, Engine engine,
                             const EngineOptions& options) {
    const auto other = open_other_pool(engine, options);
    if (other.engine() == engine) {
        require_check(agrees_with_plain_loop(input, operation, result), plain_loop);
        return plain_loop;
    }
    IndexedValue<T> expected;
    arg_reduce<T>(input, operation, ReduceConfig{.ctx = other.context_at(0)}, expected);
    require_check(expected.index == result.index && same_bits(expected.value, result.value), method_of(other));
    return method_of(other);
}

template <class T, class R>
std::string check_reduce_segments(std::span<const T> input, const Segments& segments, ReduceOperation operation, bool compensated,
                                  std::span<const R> results, Engine engine, const EngineOptions& options) {
    const auto other = open_other_pool(engine, options);
    if (other.engine() == engine) {
        for (std::size_t i = 0; i < results.size(); ++i)
            require_check(agrees_with_plain_loop(segment(input, segments, i), operation, compensated, results[i]), plain_loop);
        return plain_loop;
    }
    std::vector<R> expected(results.size());
    reduce_segments<T, R>(input, segments, operation, ReduceConfig{.ctx = other.context_at(0), .compensated = compensated},
                          std::span(expected));
    for (std::size_t i = 0; i < results.size(); ++i) require_check(same_bits(expected[i], results[i]), method_of(other));
    return method_of(other);
}

#define CUPOOL_RESULT_CHECK(T, R)                                                                                                    \
    template bool agrees_with_plain_loop<T, R>(std::span<const T>, ReduceOperation, bool, R);                                        \
    template std::string check_reduce<T, R>(std::span<const T>, ReduceOperation, bool, R, Engine, const EngineOptions&);             \
    template std::string check_reduce_segments<T, R>(std::span<const T>, const Segments&, ReduceOperation, bool, std::span<const R>, \
                                                     Engine, const EngineOptions&);
#define CUPOOL_REDUCE_CHECK(T)                                                                         \
    template bool same_bits<T>(T, T);                                                                  \
    CUPOOL_RESULT_CHECK(T, T)                                                                          \
    template bool agrees_with_plain_loop<T>(std::span<const T>, ArgOperation, const IndexedValue<T>&); \
    template std::string check_arg_reduce<T>(std::span<const T>, ArgOperation, const IndexedValue<T>&, Engine, const EngineOptions&);
#define CUPOOL_WIDE_CHECK(T) \
    CUPOOL_REDUCE_CHECK(T)   \
    CUPOOL_RESULT_CHECK(T, Wide<T>)
CUPOOL_REDUCE_CHECK(double)
CUPOOL_REDUCE_CHECK(std::int64_t)
CUPOOL_REDUCE_CHECK(std::uint64_t)
CUPOOL_WIDE_CHECK(float)
CUPOOL_WIDE_CHECK(Float16)
CUPOOL_WIDE_CHECK(BFloat16)
CUPOOL_WIDE_CHECK(std::int32_t)
CUPOOL_WIDE_CHECK(std::uint32_t)
CUPOOL_WIDE_CHECK(std::int16_t)
CUPOOL_WIDE_CHECK(std::uint16_t)
CUPOOL_WIDE_CHECK(std::int8_t)
CUPOOL_WIDE_CHECK(std::uint8_t)
#undef CUPOOL_WIDE_CHECK
#undef CUPOOL_REDUCE_CHECK
#undef CUPOOL_RESULT_CHECK

}  // namespace cupool::tools
