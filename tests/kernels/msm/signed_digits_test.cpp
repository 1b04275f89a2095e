#include "msm/signed_digits.hpp"

#include "big_integer.hpp"
#include "catch.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

TEST_CASE("signed digits of every width add up to the scalar", "[kernels]") {
    std::mt19937_64 bits(3);
    for (const unsigned scalar_bits : {1u, 2u, 8u, 63u, 64u, 65u, 128u, 253u, 254u, 255u}) {
        std::vector<BigInteger> numbers = {0, 1, BigInteger::power_of_two(scalar_bits) - 1, BigInteger::power_of_two(scalar_bits - 1)};
        for (int i = 0; i < 20; ++i) numbers.push_back(BigInteger(random_limbs<4>(bits)) % BigInteger::power_of_two(scalar_bits));
        for (unsigned width = 1; width <= 21; ++width) {
            const SignedDigits digits(width, scalar_bits);
            CHECK(digits.count() == scalar_bits / width + 1);
            const auto half = static_cast<std::int32_t>(digits.largest_magnitude());
            for (const BigInteger& number : numbers) {
                const Scalar prepared = digits.prepared(number.limbs<4>());
                BigInteger positive;
                BigInteger negative;
                bool in_range = true;
                for (unsigned window = 0; window < digits.count(); ++window) {
                    const std::int32_t digit = digits.digit(prepared, window);
                    const BigInteger weight = BigInteger::power_of_two(width * window);
                    in_range = in_range && digit >= -half && digit <= half;
                    if (digit >= 0) positive = positive + weight * static_cast<std::uint64_t>(digit);
                    if (digit < 0) negative = negative + weight * static_cast<std::uint64_t>(-digit);
                }
                INFO(number << " of " << scalar_bits << " bits in digits of " << width);
                CHECK(in_range);
                CHECK(positive == number + negative);
            }
        }
    }
}
