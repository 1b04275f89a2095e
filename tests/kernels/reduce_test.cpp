#include <cupool/driver/error.hpp>
#include <cupool/kernels/reduce.hpp>
#include <vector>

#include "catch.hpp"
#include "reduce_reference.hpp"

using namespace cupool;

namespace {

template <class T>
T reduced(const std::vector<T>& values, ReduceOperation operation) {
    T result{};
    const RunReport report = reduce<T>(std::span<const T>(values), operation, DeviceContext::host(2), result);
    CHECK(report.engine == Engine::host);
    return result;
}

}  // namespace

#define CUPOOL_ELEMENT_TYPES std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double

TEMPLATE_TEST_CASE("reduce on the host follows the order to the bit", "[kernels]", CUPOOL_ELEMENT_TYPES) {
    std::vector<TestType> values(20000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<TestType>(i * i % 9973) / static_cast<TestType>(i % 7 + 1);
    for (const auto operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
        const TestType expected = test::plain_reduce<TestType, TestType>(values, operation);
        CHECK(test::same_bits(reduced(values, operation), expected));
    }
}

TEMPLATE_TEST_CASE("float sums depend on the order, and the inputs show it", "[kernels]", float, double) {
    std::vector<TestType> values(10000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<TestType>(i + 1);
    TestType from_left = 0;
    for (const TestType value : values) from_left += value;
    CHECK(from_left != reduced(values, ReduceOperation::sum));
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
