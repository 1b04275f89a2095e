// The bounds that the host's prime fields rely on where carries are dropped and subtractions left out: integer.hpp's limbs of 64 bits.
#include <random>

#include "big_integer.hpp"
#include "catch.hpp"
#include "field/host_field.hpp"
#include "field/quadratic_element.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

#define CUPOOL_FIELDS \
    "[kernels]", Bn254BaseField, Bn254ScalarField, Bls12381BaseField, Bls12381ScalarField, Bls12377BaseField, Bls12377ScalarField

/// After every row the partial result is below left + p, if it was before: (left + p + (2^64 - 1) (left + p)) / 2^64 = left + p, whatever
/// the row's digit. On the way it is below 2^64 (left + p).
TEMPLATE_TEST_CASE("bounds: host products, sums and halves fit their limbs", CUPOOL_FIELDS) {
    const BigInteger p(HostField<TestType>::modulus);
    const BigInteger r = BigInteger::power_of_two(64 * TestType::limbs);
    const BigInteger left = p - 1;
    CHECK(left + p < r);      // no word above the limbs
    CHECK(left + p < p * 2);  // which reduced_once() takes
    CHECK(left * 2 < r);      // sums, and p added to an odd element
}

/// \pre factors of a row: |a| + |b| is at most 2^62
TEMPLATE_TEST_CASE("bounds: host inversion fits its accumulators", CUPOOL_FIELDS) {
    const BigInteger p(HostField<TestType>::modulus);
    const BigInteger word = BigInteger::power_of_two(64) - 1;
    const BigInteger row = BigInteger::power_of_two(steps_of_a_batch);

    // signed_combination: f and g are within p, and so is what becomes of them; the accumulator has 127 bits and a sign.
    CHECK(p * 2 < BigInteger::power_of_two(64 * TestType::limbs));
    const BigInteger signed_carry = row;
    const BigInteger signed_sum = signed_carry + row * word;
    CHECK(signed_sum < BigInteger::power_of_two(127));
    CHECK(!(signed_carry * BigInteger::power_of_two(64) < signed_sum));  // the next carry is no larger

    // modular_combination: both numbers are at most p, and the multiple of p is below 2^62; the accumulator has 128 bits.
    const BigInteger carry = row * 2;
    const BigInteger sum = carry + row * word + (row - 1) * word;
    CHECK(sum < BigInteger::power_of_two(128));
    CHECK(!(carry * BigInteger::power_of_two(64) < sum));
    CHECK(row * p + (row - 1) * p < row * p * 2);  // below 2 p, of which one p is subtracted
}

/// The device's pairs of points rely on it: a zero x would be stored as the modulus, which called arithmetic does not take for zero.
TEMPLATE_TEST_CASE("bounds: no point of a twist has x = 0", "[kernels]", Bn254G2, Bls12381G2) {
    using Prime = HostField<typename TestType::BaseField::PrimeField>;
    const auto b = to_limbs(TestType::b);
    const QuadraticElement<Prime> coefficient{Prime::from_standard(b.c0), Prime::from_standard(b.c1)};
    CHECK_FALSE(coefficient.norm().square_root().has_value());  // so y^2 = b has no solution
}

TEST_CASE("bounds: rows of division steps are at most 2^62", "[kernels]") {
    const Uint128 most = Uint128{1} << steps_of_a_batch;
    const auto magnitude = [](std::int64_t entry) { return static_cast<Uint128>(entry < 0 ? -static_cast<__int128_t>(entry) : entry); };
    std::mt19937_64 bits(7);
    const std::uint64_t edges[] = {0, 1, 2, 3, ~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 62};
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t f = (i % 3 == 0 ? edges[bits() % std::size(edges)] : bits()) | 1;
        const std::uint64_t g = i % 5 == 0 ? edges[bits() % std::size(edges)] : bits();
        std::int64_t delta = static_cast<std::int64_t>(bits() % 64) - 32;
        const DivisionSteps steps(delta, f, g);
        if (magnitude(steps.a) + magnitude(steps.b) > most || magnitude(steps.c) + magnitude(steps.d) > most) {
            FAIL(f << ", " << g);
        }
    }
    SUCCEED();
}
