#include "field/quadratic_element.hpp"

#include "big_element.hpp"
#include "catch.hpp"
#include "curve/host_curve.hpp"
#include "field/square_root.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

/// Zero, one, u, the borders of the prime field in both places, and random elements.
template <class Field>
std::vector<QuadraticElement<Field>> elements() {
    std::vector<QuadraticElement<Field>> result;
    const Field minus_one = Field::one().negated();
    for (const Field& c0 : {Field::zero(), Field::one(), minus_one}) {
        for (const Field& c1 : {Field::zero(), Field::one(), minus_one}) result.push_back({c0, c1});
    }
    std::mt19937_64 bits(7);
    const auto any = [&bits] { return Field::from_standard(random_limbs<Field::limbs>(bits)); };
    for (int i = 0; i < 8; ++i) result.push_back({any(), any()});
    for (int i = 0; i < 2; ++i) result.push_back({any(), Field::zero()});
    for (int i = 0; i < 2; ++i) result.push_back({Field::zero(), any()});
    return result;
}

template <class Field>
BigElement number(const QuadraticElement<Field>& element) {
    return BigElement(store(element, false), BigInteger(Field::modulus));
}

}  // namespace

#define CUPOOL_EXTENDED_FIELDS "[kernels]", Bn254BaseField, Bls12381BaseField

TEMPLATE_TEST_CASE("arithmetic in a quadratic extension equals that of pairs of plain integers", CUPOOL_EXTENDED_FIELDS) {
    using Field = HostField<TestType>;
    using Element = QuadraticElement<Field>;
    const BigInteger p(Field::modulus);
    CHECK(number(Element::zero()) == BigElement(0, 0, p));
    CHECK(number(Element::one()) == BigElement(1, 0, p));
    for (const Element& a : elements<Field>()) {
        CHECK(a.is_zero() == (number(a) == BigElement(0, 0, p)));
        CHECK(number(a.square()) == number(a) * number(a));
        CHECK(number(a.doubled()) == number(a) + number(a));
        CHECK(number(a.negated()) == BigElement(0, 0, p) - number(a));
        for (const Element& b : elements<Field>()) {
            CHECK(number(a + b) == number(a) + number(b));
            CHECK(number(a - b) == number(a) - number(b));
            CHECK(number(a * b) == number(a) * number(b));
            CHECK((a == b) == (number(a) == number(b)));
        }
    }
}

TEMPLATE_TEST_CASE("inverses in a quadratic extension", CUPOOL_EXTENDED_FIELDS) {
    using Field = HostField<TestType>;
    using Element = QuadraticElement<Field>;
    CHECK(Element::zero().inverse().is_zero());
    std::vector<Element> units;
    std::vector<Element> inverses;
    for (const Element& element : elements<Field>()) {
        if (element.is_zero()) continue;
        units.push_back(element);
        inverses.push_back(element.inverse());
        CHECK(number(element) * number(inverses.back()) == BigElement(1, 0, BigInteger(Field::modulus)));
    }
    std::vector<Element> scratch(units.size());
    invert_all<Element>(units, scratch);
    CHECK(units == inverses);
}

TEMPLATE_TEST_CASE("square roots in a quadratic extension are found exactly where there are any", CUPOOL_EXTENDED_FIELDS) {
    using Field = HostField<TestType>;
    using Element = QuadraticElement<Field>;
    int roots = 0;
    int without = 0;
    for (const Element& element : elements<Field>()) {
        const auto root_of_square = square_root(element.square());
        REQUIRE(root_of_square);
        CHECK((*root_of_square == element || *root_of_square == element.negated()));
        const auto root = square_root(element);
        CHECK(root.has_value() == element.norm().square_root().has_value());  // an element is a square just where its norm is one
        if (root) CHECK(root->square() == element);
        ++(root ? roots : without);
    }
    CHECK(roots > 5);
    CHECK(without > 2);
}
