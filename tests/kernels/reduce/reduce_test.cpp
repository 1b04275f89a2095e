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

namespace {

/// What a call refuses, and that it does.
template <class Call>
std::string refusal(const Call& call, ErrorCategory category = ErrorCategory::invalid_argument) {
    try {
        call();
    } catch (const Error& error) {
        CHECK(error.category() == category);
        return error.what();
    }
    FAIL_CHECK("not refused");
    return {};
}

}  // namespace

TEST_CASE("reduce_segments on the host refuses segments that are none, by their index", "[kernels]") {
    const std::vector<std::int16_t> elements{1, 2, 3, 4, 5, 6};
    const ReduceConfig config = ReduceConfig::default_for_host();
    const auto run = [&](const Segments& segments, ReduceOperation operation, std::size_t count) {
        std::vector<std::int16_t> results(count);
        reduce_segments<std::int16_t, std::int16_t>(std::span<const std::int16_t>(elements), segments, operation, config,
                                                    std::span(results));
        return results;
    };
    const auto by_offsets = [&](const std::vector<std::uint64_t>& offsets, ReduceOperation operation) {
        return run(Segments::offsets(std::span<const std::uint64_t>(offsets)), operation, offsets.empty() ? 0 : offsets.size() - 1);
    };
    CHECK(run(Segments::equal(2, 3), ReduceOperation::product, 2) == std::vector<std::int16_t>{6, 120});
    CHECK(by_offsets({0, 2, 2, 6}, ReduceOperation::sum) == std::vector<std::int16_t>{3, 0, 18});
    CHECK(by_offsets({0}, ReduceOperation::max).empty());
    using cupool::test::contains_text;
    CHECK_THAT(refusal([&] { run(Segments::equal(2, 3), ReduceOperation::sum, 3); }), contains_text("2 segments, but room for 3 results"));
    CHECK_THAT(refusal([&] { run(Segments::equal(4, 2), ReduceOperation::sum, 4); }), contains_text("4 segments of 2 elements"));
    CHECK_THAT(refusal([&] { run(Segments::equal(4, std::size_t{1} << 62), ReduceOperation::sum, 4); }), contains_text("4 segments of"));
    CHECK_THAT(refusal([&] { by_offsets({0, 3, 2, 6}, ReduceOperation::sum); }), contains_text("offset number 2 is below"));
    CHECK_THAT(refusal([&] { by_offsets({0, 3, 7}, ReduceOperation::sum); }), contains_text("offset number 2 is 7"));
    CHECK_THAT(refusal([&] { by_offsets({0, 3, 3, 6}, ReduceOperation::min); }), contains_text("an empty segment has no min"));
    CHECK_THAT(refusal([&] { by_offsets({}, ReduceOperation::sum); }), contains_text("array of offsets is empty"));
    const std::vector<float> floats{1, 2};
    std::vector<float> product(1);
    refusal(
        [&] {
            reduce_segments<float, float>(std::span<const float>(floats), Segments::equal(1, 2), ReduceOperation::product, config,
                                          std::span(product));
        },
        ErrorCategory::unsupported);
}

TEST_CASE("reduce_middle on the host refuses a shape that is not the array's", "[kernels]") {
    const std::vector<std::int32_t> elements{1, 2, 3, 4, 5, 6};
    const auto run = [&](const MiddleShape& shape, ReduceOperation operation, std::size_t count, std::size_t of = 6) {
        std::vector<std::int64_t> results(count);
        reduce_middle<std::int32_t, std::int64_t>(std::span<const std::int32_t>(elements).first(of), shape, operation,
                                                  ReduceConfig::default_for_host(), std::span(results));
        return results;
    };
    CHECK(run({1, 3, 2}, ReduceOperation::sum, 2) == std::vector<std::int64_t>{9, 12});
    CHECK(run({3, 2, 1}, ReduceOperation::max, 3) == std::vector<std::int64_t>{2, 4, 6});
    CHECK(run({1, 0, 2}, ReduceOperation::product, 2, 0) == std::vector<std::int64_t>{1, 1});
    using cupool::test::contains_text;
    CHECK_THAT(refusal([&] { run({1, 3, 3}, ReduceOperation::sum, 3); }), contains_text("6 elements, which are not 1 x 3 x 3"));
    CHECK_THAT(refusal([&] { run({std::size_t{1} << 63, 2, 1}, ReduceOperation::sum, 1, 0); }), contains_text("0 elements"));
    CHECK_THAT(refusal([&] { run({1, 3, 2}, ReduceOperation::sum, 3); }), contains_text("3 results"));
    CHECK_THAT(refusal([&] { run({1, 0, 2}, ReduceOperation::min, 2, 0); }), contains_text("empty dimension"));
}
