#include "field/host_field.hpp"
#include "big_integer.hpp"
#include "catch.hpp"
#include "field/host_product.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

/// Any integers of the field's limbs, not all below its modulus: the borders, and random ones.
template <class Field>
std::vector<typename Field::Integer> integers() {
    const BigInteger p(Field::modulus);
    const BigInteger wrap = BigInteger::power_of_two(64 * Field::limbs);
    std::vector<typename Field::Integer> result;
    for (const BigInteger& border : {BigInteger(0), BigInteger(1), BigInteger(2), p - 1, p - 2, p, p + 1, wrap - 1, wrap % p, wrap - p,
                                     BigInteger(Field::modulus) * 2}) {
        result.push_back(border.limbs<Field::limbs>());
    }
    std::mt19937_64 bits(2);
    for (int i = 0; i < 12; ++i) result.push_back(random_limbs<Field::limbs>(bits));
    for (int i = 0; i < 12; ++i) result.push_back((BigInteger(random_limbs<Field::limbs>(bits)) % p).template limbs<Field::limbs>());
    return result;
}

template <class Field>
BigInteger number(const Field& element) {
    return BigInteger(element.standard());
}

}  // namespace

#define CUPOOL_FIELDS Bn254BaseField, Bn254ScalarField, Bls12381BaseField, Bls12381ScalarField, Bls12377BaseField, Bls12377ScalarField

TEMPLATE_TEST_CASE("field constants follow from the modulus", "[kernels]", CUPOOL_FIELDS) {
    const BigInteger p(to_limbs(TestType::modulus));
    const BigInteger r = BigInteger::power_of_two(64 * TestType::limbs);
    CHECK(BigInteger(to_limbs(TestType::montgomery_one)) == r % p);
    CHECK(BigInteger(to_limbs(TestType::montgomery_square)) == r * r % p);
    CHECK(TestType::negated_inverse * TestType::modulus.limb[0] == ~std::uint64_t{0});
}

TEMPLATE_TEST_CASE("field elements come from any integer and go to standard and Montgomery form", "[kernels]", CUPOOL_FIELDS) {
    using Field = HostField<TestType>;
    const BigInteger p(Field::modulus);
    const BigInteger r = BigInteger::power_of_two(64 * Field::limbs);
    for (const auto& integer : integers<Field>()) {
        const Field element = Field::from_standard(integer);
        CHECK(number(element) == BigInteger(integer) % p);
        CHECK(BigInteger(element.montgomery()) == BigInteger(integer) * r % p);
        CHECK(Field::from_montgomery(element.montgomery()) == element);
        CHECK(element.is_zero() == (BigInteger(integer) % p == BigInteger(0)));
    }
    CHECK(number(Field::one()) == BigInteger(1));
    CHECK(Field::from_standard(7) == Field::from_standard(BigInteger(7).limbs<Field::limbs>()));
}

TEMPLATE_TEST_CASE("field arithmetic equals that of plain integers", "[kernels]", CUPOOL_FIELDS) {
    using Field = HostField<TestType>;
    const BigInteger p(Field::modulus);
    for (const auto& left : integers<Field>()) {
        const Field a = Field::from_standard(left);
        const BigInteger x = BigInteger(left) % p;
        CHECK(number(a.square()) == x * x % p);
        CHECK(number(a.doubled()) == (x + x) % p);
        CHECK(number(a.negated()) == (p - x) % p);
        CHECK(number(a.half().doubled()) == x);
        for (const auto& right : integers<Field>()) {
            const Field b = Field::from_standard(right);
            const BigInteger y = BigInteger(right) % p;
            CHECK(number(a + b) == (x + y) % p);
            CHECK(number(a - b) == (x + p - y) % p);
            CHECK(number(a * b) == x * y % p);
        }
    }
}

TEMPLATE_TEST_CASE("every product of this processor equals that of plain integers, and is reduced", "[kernels]", CUPOOL_FIELDS) {
    using Field = HostField<TestType>;
    const BigInteger p(Field::modulus);
    const BigInteger r = BigInteger::power_of_two(64 * Field::limbs) % p;
    const BigInteger r_inverse(Field::from_montgomery(BigInteger(1).limbs<Field::limbs>()).standard());
    REQUIRE(r * r_inverse % p == BigInteger(1));
    const auto some = integers<Field>();
    for (const auto& left : some) {
        if (!is_less(left, Field::modulus)) continue;
        for (const auto& right : some) {  // reduced or not
            const auto expected = (BigInteger(left) * BigInteger(right) * r_inverse % p).limbs<Field::limbs>();
            CHECK(portable_product<TestType>(left, right) == expected);
            CHECK(montgomery_product<TestType>(left, right) == expected);
#if defined(CUPOOL_HAS_ASSEMBLED_PRODUCT)
            if (has_two_carry_chains) CHECK(assembled_product<TestType>(left, right) == expected);
#endif
        }
    }
}

#if defined(CUPOOL_HAS_ASSEMBLED_PRODUCT)
// Limbs of nothing but ones or zeros carry far, which random ones seldom do.
TEMPLATE_TEST_CASE("the product in assembler equals the portable one wherever carries go", "[kernels]", CUPOOL_FIELDS) {
    if (!has_two_carry_chains) CUPOOL_SKIP("skipped: this processor has no ADX or no BMI2");
    using Field = HostField<TestType>;
    std::mt19937_64 bits(4);
    const auto any_limbs = [&] {
        auto integer = random_limbs<Field::limbs>(bits);
        for (std::uint64_t& limb : integer.limbs) {
            const std::uint64_t kind = bits() % 4;
            if (kind < 2) limb = 0 - kind;
        }
        return integer;
    };
    for (int i = 0; i < 20'000; ++i) {
        auto left = any_limbs();
        while (!is_less(left, Field::modulus)) left = halved(left);
        const auto right = any_limbs();
        const auto product = assembled_product<TestType>(left, right);
        if (!(product == portable_product<TestType>(left, right))) FAIL(BigInteger(left) << " * " << BigInteger(right));
    }
}
#endif

TEMPLATE_TEST_CASE("powers and inverses", "[kernels]", CUPOOL_FIELDS) {
    using Field = HostField<TestType>;
    const BigInteger p(Field::modulus);
    CHECK(Field::zero().inverse().is_zero());
    std::vector<Field> inverses;
    std::vector<Field> elements;
    for (const auto& integer : integers<Field>()) {
        const Field element = Field::from_standard(integer);
        CHECK(element.power({}) == Field::one());
        CHECK(element.power(BigInteger(5).limbs<Field::limbs>()) == element.square().square() * element);
        if (element.is_zero()) continue;
        CHECK(number(element) * number(element.inverse()) % p == BigInteger(1));
        elements.push_back(element);
        inverses.push_back(element.inverse());
    }
    std::vector<Field> scratch(elements.size());
    invert_all<Field>(elements, scratch);
    CHECK(elements == inverses);
    invert_all<Field>({}, {});
}

TEMPLATE_TEST_CASE("square roots are found exactly where there are any", "[kernels]", CUPOOL_FIELDS) {
    using Field = HostField<TestType>;
    CHECK(Field::zero().square_root() == Field::zero());
    const auto half_order = halved((BigInteger(Field::modulus) - 1).limbs<Field::limbs>());
    int roots = 0;
    int without = 0;
    for (const auto& integer : integers<Field>()) {
        const Field element = Field::from_standard(integer);
        const auto root_of_square = element.square().square_root();
        REQUIRE(root_of_square);
        CHECK((*root_of_square == element || *root_of_square == element.negated()));
        if (element.is_zero()) continue;
        const auto root = element.square_root();
        CHECK(root.has_value() == (element.power(half_order) == Field::one()));  // Euler's criterion
        if (root) CHECK(root->square() == element);
        ++(root ? roots : without);
    }
    CHECK(roots > 5);
    CHECK(without > 5);
}
