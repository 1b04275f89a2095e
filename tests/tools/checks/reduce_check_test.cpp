#include "checks/reduce_check.hpp"

#include <limits>
#include <vector>

#include "catch.hpp"

using namespace cupool;
using namespace cupool::tools;

namespace {

template <class T, class R = T>
bool agrees(const std::vector<T>& input, ReduceOperation operation, R result, bool compensated = false) {
    return agrees_with_plain_loop<T, R>(input, operation, compensated, result);
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();

}  // namespace

TEST_CASE("a plain loop tells wrong integer results from right ones") {
    const std::vector<std::int32_t> input = {std::numeric_limits<std::int32_t>::max(), 1, 5};
    CHECK(agrees(input, ReduceOperation::sum, std::numeric_limits<std::int32_t>::min() + 5));
    CHECK_FALSE(agrees(input, ReduceOperation::sum, 5));
    CHECK(agrees(input, ReduceOperation::min, 1));
    CHECK_FALSE(agrees(input, ReduceOperation::min, 5));
    CHECK(agrees(input, ReduceOperation::max, std::numeric_limits<std::int32_t>::max()));
    CHECK_FALSE(agrees(input, ReduceOperation::max, 1));
}

TEST_CASE("a plain loop knows the order of zeros and NaNs") {
    CHECK(agrees<float>({0.0F, -0.0F}, ReduceOperation::min, -0.0F));
    CHECK_FALSE(agrees<float>({0.0F, -0.0F}, ReduceOperation::min, 0.0F));
    CHECK(agrees<float>({-0.0F, 0.0F}, ReduceOperation::max, 0.0F));
    CHECK_FALSE(agrees<float>({-0.0F, 0.0F}, ReduceOperation::max, -0.0F));
    CHECK(agrees<float>({1, not_a_number, 0}, ReduceOperation::min, not_a_number));
    CHECK_FALSE(agrees<float>({1, not_a_number, 0}, ReduceOperation::max, 1.0F));
    CHECK(agrees<float>({1, -infinite, 0}, ReduceOperation::min, -infinite));
}

TEST_CASE("a plain loop grants float sums their rounding and no more") {
    std::vector<float> input(1 << 20, 0.1F);
    const auto sum = static_cast<float>(input.size()) * 0.1F;
    CHECK(agrees(input, ReduceOperation::sum, sum));
    CHECK(agrees(input, ReduceOperation::sum, sum * (1 + 1e-6F)));
    CHECK_FALSE(agrees(input, ReduceOperation::sum, sum * (1 + 1e-4F)));
    CHECK_FALSE(agrees(input, ReduceOperation::sum, not_a_number));
    CHECK_FALSE(agrees(input, ReduceOperation::sum, infinite));
    CHECK(agrees<float>({largest, largest, -largest}, ReduceOperation::sum, infinite));
    CHECK(agrees<float>({infinite, -infinite}, ReduceOperation::sum, not_a_number));
    CHECK_FALSE(agrees<float>({infinite, 1}, ReduceOperation::sum, 1.0F));
}

TEST_CASE("a plain loop holds wide, compensated and 16-bit sums to their own precision") {
    const std::vector<float> tenths(1 << 20, 0.1F);
    const double exact = static_cast<double>(1 << 20) * static_cast<double>(0.1F);
    CHECK(agrees<float, double>(tenths, ReduceOperation::sum, exact));
    CHECK_FALSE(agrees<float, double>(tenths, ReduceOperation::sum, exact * (1 + 1e-7)));
    CHECK(agrees(tenths, ReduceOperation::sum, static_cast<float>(exact), true));
    CHECK_FALSE(agrees(tenths, ReduceOperation::sum, static_cast<float>(exact * (1 + 1e-6)), true));
    CHECK(agrees<float>(tenths, ReduceOperation::sum, static_cast<float>(exact * (1 + 1e-6)), false));
    const std::vector<Float16> halves(100, Float16(0.5F));
    CHECK(agrees(halves, ReduceOperation::sum, Float16(50)));
    CHECK_FALSE(agrees(halves, ReduceOperation::sum, Float16(50.25F)));
    CHECK(agrees(std::vector<Float16>(3, Float16(60000)), ReduceOperation::sum, Float16(std::numeric_limits<float>::infinity())));
    CHECK(agrees<std::int8_t, std::int64_t>({100, 100}, ReduceOperation::sum, 200));
    CHECK(agrees<std::int8_t, std::int8_t>({100, 3}, ReduceOperation::product, 44));
    CHECK_FALSE(agrees<std::int8_t, std::int8_t>({100, 3}, ReduceOperation::product, 45));
}

TEST_CASE("a plain loop finds the first of equals") {
    const std::vector<float> input{3, 1, 1, not_a_number, not_a_number};
    const auto first = std::span<const float>(input).first(3);
    CHECK(agrees_with_plain_loop<float>(first, ArgOperation::min, {1, 1}));
    CHECK_FALSE(agrees_with_plain_loop<float>(first, ArgOperation::min, {1, 2}));
    CHECK_FALSE(agrees_with_plain_loop<float>(first, ArgOperation::min, {3, 1}));
    CHECK(agrees_with_plain_loop<float>(first, ArgOperation::max, {3, 0}));
    CHECK(agrees_with_plain_loop<float>(input, ArgOperation::max, {not_a_number, 3}));
    CHECK_FALSE(agrees_with_plain_loop<float>(input, ArgOperation::max, {not_a_number, 4}));
}

TEST_CASE("results are compared by their bits") {
    CHECK(same_bits(not_a_number, not_a_number));
    CHECK_FALSE(same_bits(0.0, -0.0));
    CHECK(same_bits(7, 7));
}
