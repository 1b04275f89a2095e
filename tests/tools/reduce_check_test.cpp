#include "src/reduce_check.hpp"

#include <limits>
#include <vector>

#include "catch.hpp"

using namespace cupool;
using namespace cupool::tools;

namespace {

template <class T>
bool agrees(const std::vector<T>& input, ReduceOperation operation, T result) {
    return agrees_with_plain_loop<T>(input, operation, result);
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

TEST_CASE("results are compared by their bits") {
    CHECK(same_bits(not_a_number, not_a_number));
    CHECK_FALSE(same_bits(0.0, -0.0));
    CHECK(same_bits(7, 7));
}
