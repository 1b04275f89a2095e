#include "src/reduce_check.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/outcome.hpp"

namespace cupool::tools {
namespace {

/// How many additions an element can go through: fewer than 24 a level, and each level leaves one in 4096, so this does for 2^48 elements.
constexpr int longest_path = 4 * 24;

template <class T>
bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
    return false;
}

/// The order that min and max go by: -0 before +0.
template <class T>
bool is_less(T left, T right) {
    if constexpr (std::is_floating_point_v<T>) {
        if (left == right) return std::signbit(left) && !std::signbit(right);
    }
    return left < right;
}

template <class T>
T plain_extreme(std::span<const T> input, ReduceOperation operation) {
    auto extreme = input[0];
    for (const auto value : input) {
        if (is_nan(extreme)) break;
        const bool better = operation == ReduceOperation::min ? is_less(value, extreme) : is_less(extreme, value);
        if (is_nan(value) || better) extreme = value;
    }
    return extreme;
}

template <class T>
bool agrees_with_plain_sum(std::span<const T> input, T result) {
    if constexpr (std::is_integral_v<T>) {
        std::make_unsigned_t<T> sum = 0;
        for (const auto value : input) sum += static_cast<std::make_unsigned_t<T>>(value);
        return static_cast<T>(sum) == result;
    } else {
        long double sum = 0;
        long double magnitudes = 0;
        for (const auto value : input) {
            sum += value;
            magnitudes += std::abs(value);
        }
        if (!std::isfinite(result))
            return !(magnitudes <= std::numeric_limits<T>::max());  // some orders of summation overflow, others do not
        const auto error_bound = longest_path * static_cast<long double>(std::numeric_limits<T>::epsilon()) +
                                 static_cast<long double>(input.size()) * std::numeric_limits<long double>::epsilon();
        return std::isfinite(magnitudes) && std::abs(sum - result) <= error_bound * magnitudes;
    }
}

}  // namespace

template <class T>
bool same_bits(T left, T right) {
    return std::memcmp(&left, &right, sizeof(T)) == 0;
}

template <class T>
bool agrees_with_plain_loop(std::span<const T> input, ReduceOperation operation, T result) {
    if (operation == ReduceOperation::sum) return agrees_with_plain_sum(input, result);
    const auto extreme = plain_extreme(input, operation);
    return is_nan(extreme) ? is_nan(result) : same_bits(extreme, result);
}

template <class T>
std::string check_reduce(std::span<const T> input, ReduceOperation operation, T result, const DevicePool& pool,
                         const EngineOptions& options) {
    const auto other = open_other_pool(pool, options);
    if (other.engine() == pool.engine()) {
        if (!agrees_with_plain_loop(input, operation, result)) throw CheckFailed("the check by a plain loop gives another result");
        return "a plain loop";
    }
    T expected{};
    other.reduce<T>(input, operation, expected);
    const auto method = "the " + to_string(other.engine()) + " engine";
    if (!same_bits(expected, result)) throw CheckFailed("the check by " + method + " gives another result");
    return method;
}

#define CUPOOL_REDUCE_CHECK(T)                                                       \
    template bool same_bits<T>(T, T);                                                \
    template bool agrees_with_plain_loop<T>(std::span<const T>, ReduceOperation, T); \
    template std::string check_reduce<T>(std::span<const T>, ReduceOperation, T, const DevicePool&, const EngineOptions&);
CUPOOL_REDUCE_CHECK(std::int32_t)
CUPOOL_REDUCE_CHECK(std::uint32_t)
CUPOOL_REDUCE_CHECK(std::int64_t)
CUPOOL_REDUCE_CHECK(std::uint64_t)
CUPOOL_REDUCE_CHECK(float)
CUPOOL_REDUCE_CHECK(double)
#undef CUPOOL_REDUCE_CHECK

}  // namespace cupool::tools
