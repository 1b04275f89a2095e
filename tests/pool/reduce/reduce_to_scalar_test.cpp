// reduce_results() to one number.
#include <cmath>
#include <cupool/driver/copy.hpp>
#include <cupool/pool/device_pool.hpp>
#include <limits>
#include <numeric>

#include "catch.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// A buffer on a device of the pool with these values.
template <class T>
DeviceBuffer<T> placed(const DevicePool& pool, std::size_t index, const std::vector<T>& values) {
    const DeviceContext& context = pool.context_at(index);
    DeviceBuffer<T> buffer(values.size(), context);
    if (!values.empty()) copy(buffer.span(), std::span<const T>(values), context.stream());
    return buffer;
}

template <class T>
std::vector<T> numbers(std::size_t count, T first) {
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

}  // namespace

TEST_CASE("one number of all buffers of all devices, of any sizes", "[reduce]") {
    for (const std::size_t devices : {1u, 2u, 3u}) {
        CAPTURE(devices);
        const Machine machine{std::vector<SimulatedDevice>(devices)};
        const DevicePool pool = DevicePool::all(machine.driver);
        std::vector<DeviceBuffer<std::int64_t>> buffers;
        std::vector<DeviceSpan<const std::int64_t>> spans;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < 5; ++i) {
            const auto values = numbers<std::int64_t>(i == 3 ? 0 : 1 + 700 * i, static_cast<std::int64_t>(i) - 2);
            sum += std::accumulate(values.begin(), values.end(), std::int64_t{0});
            buffers.push_back(placed(pool, i % devices, values));
            spans.push_back(buffers.back().span());
        }
        std::int64_t result = 0;
        const RunReport report = pool.reduce_results<std::int64_t>(spans, ReduceOperation::sum, result);
        CHECK(result == sum);
        CHECK(report.engine == Engine::gpu);
        CHECK(report.devices == pool.devices());
        pool.reduce_results<std::int64_t>(spans, ReduceOperation::min, result);
        CHECK(result == -2);
        pool.reduce_results<std::int64_t>(spans, ReduceOperation::max, result);
        CHECK(result == 2 + 2800);
    }
}

TEST_CASE("floats: the devices' numbers follow the rules of reduce()", "[reduce]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto here = placed<float>(pool, 0, {-0.0f, 3});
    const auto there = placed<float>(pool, 1, {0.0f, 5});
    const auto nan = placed<float>(pool, 1, {1, std::numeric_limits<float>::quiet_NaN()});
    float result = 0;
    pool.reduce_results<float>(std::vector<DeviceSpan<const float>>{there.span(), here.span()}, ReduceOperation::min, result);
    CHECK(result == 0);
    CHECK(std::signbit(result));
    pool.reduce_results<float>(std::vector<DeviceSpan<const float>>{here.span(), nan.span()}, ReduceOperation::max, result);
    CHECK(std::isnan(result));
    pool.reduce_results<float>(std::vector<DeviceSpan<const float>>{here.span(), there.span()}, ReduceOperation::sum, result);
    CHECK(result == 8);
}

TEST_CASE("the number of nothing, and what cannot be reduced", "[reduce]") {
    const Machine machine(std::vector<SimulatedDevice>(2));
    const DevicePool pool = DevicePool::all(machine.driver);
    const auto empty = placed<int>(pool, 1, {});
    const std::vector<DeviceSpan<const int>> nothing{DeviceSpan<const int>(0, 0, 1)};
    int result = 5;
    pool.reduce_results<int>(nothing, ReduceOperation::sum, result);
    CHECK(result == 0);
    const auto category = [&](auto&& spans, ReduceOperation operation) {
        const Error error = error_of([&] { (void)pool.reduce_results<int>(spans, operation, result); });
        CHECK_THAT(error.location().file, contains_text("reduce_to_scalar_test.cpp"));
        return error.category();
    };
    CHECK(category(nothing, ReduceOperation::min) == ErrorCategory::invalid_argument);
    CHECK(category(std::vector<DeviceSpan<const int>>{}, ReduceOperation::sum) == ErrorCategory::invalid_argument);
    CHECK(category(std::vector<DeviceSpan<const int>>{{0, 0, 2}}, ReduceOperation::sum) == ErrorCategory::wrong_context);
}
