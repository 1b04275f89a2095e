#include "field/integer.hpp"

#include <random>

#include "big_integer.hpp"
#include "catch.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

std::vector<Limbs<4>> integers() {
    constexpr std::uint64_t ones = ~std::uint64_t{0};
    std::vector<Limbs<4>> result = {
        {{0, 0, 0, 0}}, {{1, 0, 0, 0}}, {{ones, 0, 0, 0}}, {{0, 1, 0, 0}}, {{ones, ones, ones, ones}}, {{0, 0, 0, ones ^ (ones >> 1)}}};
    std::mt19937_64 bits(1);
    for (int i = 0; i < 30; ++i) result.push_back(random_limbs<4>(bits));
    return result;
}

}  // namespace

TEST_CASE("integers add, subtract and compare", "[kernels]") {
    const BigInteger wrap = BigInteger::power_of_two(256);
    for (const auto& left : integers()) {
        for (const auto& right : integers()) {
            Limbs<4> sum = left;
            const std::uint64_t carry = add_to(sum, right);
            CHECK(BigInteger(sum) + wrap * carry == BigInteger(left) + BigInteger(right));
            Limbs<4> difference = left;
            const std::uint64_t borrow = subtract_from(difference, right);
            CHECK(BigInteger(difference) + BigInteger(right) == BigInteger(left) + wrap * borrow);
            CHECK(is_less(left, right) == (borrow == 1));
        }
    }
}

TEST_CASE("integers are halved, divided and measured", "[kernels]") {
    for (const auto& value : integers()) {
        const BigInteger number(value);
        CHECK(BigInteger(halved(value)) * 2 + std::uint64_t{bit(value, 0)} == number);
        CHECK(bit_length(value) == number.bit_count());
        for (const std::size_t index : {0, 1, 63, 64, 255, 256, 1000}) CHECK(bit(value, index) == number.bit(index));
        for (const std::uint32_t divisor : {1u, 2u, 3u, 7u, 0xffffffffu}) {
            const BigInteger quotient(divided(value, divisor));
            CHECK(!(number < quotient * divisor));
            CHECK(number - quotient * divisor < BigInteger(divisor));
        }
    }
}
