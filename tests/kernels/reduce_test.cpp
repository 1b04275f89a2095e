#include <algorithm>
#include <cmath>
#include <cstring>
#include <cupool/driver/error.hpp>
#include <cupool/kernels/reduce.hpp>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace cupool;

// The order of docs/reduce.md once more, told as plainly as possible.
namespace {

template <class T>
T plain_sum(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right)));
    } else {
        volatile T sum = left + right;  // rounded to T
        return sum;
    }
}

/// Whether left is below right, with -0 below +0. \pre none is a NaN
template <class T>
bool below(T left, T right) {
    if constexpr (std::is_floating_point_v<T>) {
        if (left == right) return std::signbit(left) && !std::signbit(right);
    }
    return left < right;
}

template <class T>
bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
    return false;
}

template <class T>
T plain(ReduceOperation operation, T left, T right) {
    if (operation == ReduceOperation::sum) return plain_sum(left, right);
    if (is_nan(left)) return left;
    if (is_nan(right)) return right;
    return below(left, right) == (operation == ReduceOperation::min) ? left : right;
}

template <class T>
T plain_tile(const std::vector<T>& tile, ReduceOperation operation) {
    std::vector<std::vector<T>> lanes(256);  // an empty one holds no value
    for (std::size_t i = 0; i < tile.size(); ++i) {
        std::vector<T>& lane = lanes[i % 256];
        lane = {lane.empty() ? tile[i] : plain(operation, lane[0], tile[i])};
    }
    for (std::size_t step = 128; step >= 1; step /= 2) {
        for (std::size_t lane = 0; lane < step; ++lane) {
            if (!lanes[lane + step].empty()) lanes[lane] = {plain(operation, lanes[lane][0], lanes[lane + step][0])};
        }
    }
    return lanes[0][0];
}

template <class T>
T plain_reduce(std::vector<T> values, ReduceOperation operation) {
    do {
        std::vector<T> tiles;
        for (std::size_t first = 0; first < values.size(); first += 4096) {
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
            tiles.push_back(plain_tile(
                std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(4096, values.size() - first))), operation));
        }
        values = tiles;
    } while (values.size() > 1);
    if (is_nan(values[0])) return std::numeric_limits<T>::quiet_NaN();
    return values[0];
}

template <class T>
std::vector<T> random_values(std::size_t count) {
    std::mt19937_64 bits(count);
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::is_floating_point_v<T>) {
            value = std::ldexp(static_cast<T>(bits() >> 20), static_cast<int>(bits() % 60) - 60) * static_cast<T>(bits() % 2 == 0 ? 1 : -1);
        } else {
            value = static_cast<T>(bits());
        }
    }
    return values;
}

template <class T>
T reduced(const std::vector<T>& values, ReduceOperation operation, unsigned threads = 2) {
    T result{};
    const RunReport report = reduce<T>(std::span<const T>(values), operation, DeviceContext::host(threads), result);
    CHECK(report.engine == Engine::host);
    return result;
}

template <class T>
void check(const std::vector<T>& values, unsigned threads = 2) {
    for (const auto operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
        const T expected = plain_reduce(values, operation);
        const T result = reduced(values, operation, threads);
        if (std::memcmp(&expected, &result, sizeof(T)) != 0) {
            FAIL_CHECK(operation << " of " << values.size() << " elements is " << result << ", should be " << expected);
        }
    }
}

}  // namespace

#define CUPOOL_ELEMENT_TYPES std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double

TEMPLATE_TEST_CASE("reductions on the host follow the order to the bit", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    for (std::size_t length = 1; length <= 600; ++length) check(random_values<TestType>(length));
    for (std::size_t length = 601; length <= 10000; length += 97) check(random_values<TestType>(length));
    for (const std::size_t length : {1023, 1024, 1025, 4095, 4096, 4097, 4351, 4352, 4353, 8191, 8192, 8193, 10000}) {
        check(random_values<TestType>(length));
    }
}

TEMPLATE_TEST_CASE("reductions on the host of several levels, on any number of threads", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    for (const unsigned threads : {1, 2, 3, 7}) check(random_values<TestType>(300 * 4096 + threads), threads);
}

TEST_CASE("a reduction on the host of three levels", "[kernels]") { check(random_values<float>(4096 * 4096 + 1), 3); }

TEMPLATE_TEST_CASE("float sums depend on the order, and the inputs show it", "[kernels]", float, double) {
    auto values = random_values<TestType>(10000);
    TestType from_left = 0;
    for (const TestType value : values) from_left += value;
    CHECK(from_left != reduced(values, ReduceOperation::sum));
}

TEMPLATE_TEST_CASE("NaN wins, zeros have signs, denormals are kept", "[kernels]", float, double) {
    using Limits = std::numeric_limits<TestType>;
    const TestType zero = 0;
    const TestType nan = Limits::quiet_NaN();
    std::vector<std::vector<TestType>> cases = {{nan},
                                                {-nan},
                                                {1, nan},
                                                {nan, 1},
                                                {nan, Limits::infinity()},
                                                {Limits::infinity(), -Limits::infinity()},
                                                {-zero},
                                                {-zero, -zero},
                                                {zero, -zero},
                                                {-zero, zero},
                                                {Limits::denorm_min(), Limits::denorm_min()},
                                                {Limits::max(), Limits::max()},
                                                {-Limits::infinity(), 1},
                                                {Limits::signaling_NaN()}};
    for (const auto& values : cases) {
        check(values);
        auto amid = random_values<TestType>(9000);
        std::copy(values.begin(), values.end(), amid.begin() + 5000);
        check(amid);
    }
    CHECK(std::signbit(reduced<TestType>({zero, -zero, zero}, ReduceOperation::min)));
    CHECK_FALSE(std::signbit(reduced<TestType>({-zero, zero, -zero}, ReduceOperation::max)));
    CHECK(reduced<TestType>({Limits::denorm_min(), Limits::denorm_min()}, ReduceOperation::sum) == 2 * Limits::denorm_min());

    const TestType result = reduced<TestType>({-nan, 1}, ReduceOperation::min);
    std::conditional_t<sizeof(TestType) == 4, std::uint32_t, std::uint64_t> bits{};
    std::memcpy(&bits, &result, sizeof bits);
    CHECK(bits == (sizeof(TestType) == 4 ? 0x7fc00000 : 0x7ff8000000000000));
}

TEMPLATE_TEST_CASE("nothing sums to zero and has no least or greatest", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    TestType result = 7;
    reduce<TestType>(std::span<const TestType>(), ReduceOperation::sum, DeviceContext::host(), result);
    CHECK(result == 0);
    for (const auto operation : {ReduceOperation::min, ReduceOperation::max}) {
        try {
            reduce<TestType>(std::span<const TestType>(), operation, DeviceContext::host(), result);
            FAIL_CHECK("not refused");
        } catch (const Error& error) {
            CHECK(error.category() == ErrorCategory::invalid_argument);
        }
    }
}

TEST_CASE("reduce on the host refuses an operand on a device", "[kernels]") {
    float result = 0;
    try {
        reduce<float>(DeviceSpan<const float>(0x1000, 1, 3), ReduceOperation::sum, DeviceContext::host(), result);
        FAIL_CHECK("not refused");
    } catch (const Error& error) {
        CHECK(error.category() == ErrorCategory::invalid_argument);
        CHECK_THAT(error.what(), cupool::test::contains_text("the input is on device 3"));
    }
}
