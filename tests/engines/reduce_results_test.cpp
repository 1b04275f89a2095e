#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

TEMPLATE_TEST_CASE("reduce_results combines one buffer a device, in order", "[pool]", std::int32_t, std::uint64_t, float, double) {
    const DevicePool& pool = engine_pool();
    if (pool.is_host()) {
        const std::vector<DeviceSpan<const TestType>> none(1);
        CHECK_THROWS_AS(pool.reduce_results<TestType>(none, ReduceOperation::sum), Error);
        return;
    }
    const std::size_t count = is_simulated() ? 1000 : 1 << 20;
    std::vector<std::vector<TestType>> values;
    std::vector<DeviceBuffer<TestType>> buffers;
    std::vector<DeviceSpan<const TestType>> spans;
    for (const DeviceContext& context : engine_contexts()) {
        auto& own = values.emplace_back();
        for (std::size_t i = 0; i < count; ++i) own.push_back(static_cast<TestType>(random_bits()() % 100000) / 7);
        auto& buffer = buffers.emplace_back(count, context);
        copy_async(buffer.span(), std::span<const TestType>(own), context.stream());
        spans.push_back(buffer.span());
    }
    for (const ReduceOperation operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
        std::vector<TestType> expected = values[0];
        for (std::size_t device = 1; device < values.size(); ++device) {
            for (std::size_t i = 0; i < count; ++i) {
                const TestType other = values[device][i];
                expected[i] = operation == ReduceOperation::sum   ? static_cast<TestType>(expected[i] + other)
                              : operation == ReduceOperation::min ? std::min(expected[i], other)
                                                                  : std::max(expected[i], other);
            }
        }
        const DeviceBuffer<TestType> result = pool.reduce_results<TestType>(spans, operation);
        CHECK(result.device() == spans[0].device());
        std::vector<TestType> back(count);
        copy(std::span(back), result.span(), pool.context(result.device()).stream());
        CHECK((back == expected));
    }
    spans.back() = spans.back().subspan(0, count - 1);
    if (spans.size() > 1) CHECK_THROWS_AS(pool.reduce_results<TestType>(spans, ReduceOperation::sum), Error);
    CHECK_THROWS_AS(pool.reduce_results<TestType>(std::span(spans).first(0), ReduceOperation::sum), Error);
}
