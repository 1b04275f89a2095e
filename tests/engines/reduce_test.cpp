#include <cmath>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <limits>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

template <class T>
std::vector<T> random_values(std::size_t count) {
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::is_floating_point_v<T>) {
            // Of very unequal size, so that the order of additions shows in the last bits.
            value =
                std::ldexp(static_cast<T>(random_bits()() >> 40), static_cast<int>(random_bits()() % 40)) * (random_bits()() % 2 ? 1 : -1);
        } else {
            value = static_cast<T>(random_bits()());
        }
    }
    return values;
}

template <class T>
bool same_bits(T left, T right) {
    return std::memcmp(&left, &right, sizeof(T)) == 0;
}

template <class T>
T reduced_on(const DeviceContext& context, std::span<const T> values, ReduceOperation operation) {
    T result{};
    const RunReport report = reduce<T>(values, operation, context, result);
    CHECK((report.engine == Engine::host) == context.is_host());
    return result;
}

/// Holds an engine's result against the host twin's, which tests/kernels holds against a plain reference.
template <class T>
void check_against_host(const DeviceContext& context, std::span<const T> values) {
    for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
        if (values.empty() && operation != ReduceOperation::sum) {
            CHECK_THROWS_AS(reduced_on(context, values, operation), Error);
            continue;
        }
        const T expected = reduced_on(DeviceContext::host(), values, operation);
        if (!same_bits(reduced_on(context, values, operation), expected)) {
            FAIL_CHECK(operation << " of " << values.size() << " elements on " << context << " differs from the host's");
        }
    }
}

}  // namespace

#define CUPOOL_ELEMENT_TYPES std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double

TEMPLATE_TEST_CASE("reductions of every length to 10000 equal the host's to the bit", "[reduce]", CUPOOL_ELEMENT_TYPES) {
    const auto values = random_values<TestType>(10000);
    const DeviceContext context = engine_contexts().back();
    // The simulator takes a sample: the borders of lanes, tiles and their multiples.
    const std::size_t step = is_simulated() ? 1709 : 1;
    for (std::size_t length = 0; length <= values.size(); length += step) {
        check_against_host<TestType>(context, std::span(values).first(length));
    }
    for (const std::size_t length : {1, 2, 255, 256, 257, 4095, 4096, 4097, 8191, 8192, 8193}) {
        check_against_host<TestType>(context, std::span(values).first(length));
    }
}

TEMPLATE_TEST_CASE("reductions of many elements equal the host's to the bit", "[reduce]", CUPOOL_ELEMENT_TYPES) {
    const std::size_t most = is_simulated() ? 70000 : (1 << 24) + 4097;
    const auto values = random_values<TestType>(most);
    for (const DeviceContext& context : engine_contexts()) {
        for (const std::size_t length : {most, most - 1, most - 4097})
            check_against_host<TestType>(context, std::span(values).first(length));
        if (context.is_host()) continue;
        DeviceBuffer<TestType> there(values.size(), context);
        copy(there.span(), std::span<const TestType>(values), context.stream());
        TestType result{};
        TestType expected{};
        reduce<TestType>(there.span(), ReduceOperation::sum, context, result);
        reduce<TestType>(std::span<const TestType>(values), ReduceOperation::sum, DeviceContext::host(), expected);
        CHECK(same_bits(result, expected));
    }
}

TEMPLATE_TEST_CASE("NaN, infinities and signed zeros", "[reduce]", float, double) {
    constexpr TestType nan = std::numeric_limits<TestType>::quiet_NaN();
    constexpr TestType infinity = std::numeric_limits<TestType>::infinity();
    constexpr TestType tiny = std::numeric_limits<TestType>::denorm_min();
    const std::vector<std::vector<TestType>> cases = {{nan},
                                                      {-nan},
                                                      {1, nan, 2},
                                                      {nan, infinity},
                                                      {infinity, -infinity},
                                                      {-infinity, 1},
                                                      {0, -TestType{0}},
                                                      {-TestType{0}, 0},
                                                      {tiny, tiny, -tiny},
                                                      {std::numeric_limits<TestType>::max(), std::numeric_limits<TestType>::max()},
                                                      {std::numeric_limits<TestType>::signaling_NaN(), 1}};
    for (const DeviceContext& context : engine_contexts()) {
        for (const auto& values : cases) check_against_host<TestType>(context, std::span<const TestType>(values));
        const std::vector<TestType> zeros{0, -TestType{0}, 0};
        CHECK(std::signbit(reduced_on<TestType>(context, zeros, ReduceOperation::min)));
        CHECK_FALSE(std::signbit(reduced_on<TestType>(context, zeros, ReduceOperation::max)));
        CHECK(std::isnan(reduced_on<TestType>(context, cases[2], ReduceOperation::max)));
        CHECK(std::isnan(reduced_on<TestType>(context, cases[3], ReduceOperation::min)));
    }
}
