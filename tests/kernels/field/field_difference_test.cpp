// The host's prime fields held against GMP, on many numbers whose limbs are those that carries go wrong with: all zeros, all ones, those of
// the modulus and of twice the modulus. CUPOOL_FIELD_PAIRS is how many pairs of numbers each field gets, 100,000 unless it is set.
#include <gmp.h>
#include <random>

#include <cstdlib>
#include <string>

#include "big_integer.hpp"
#include "catch.hpp"
#include "field/host_field.hpp"
#include "field/host_product.hpp"
#include "field/vector_field.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

static_assert(GMP_NUMB_BITS == 64, "GMP's limbs are taken for those of the fields");

namespace {

std::size_t pair_count() {
    const char* const set = std::getenv("CUPOOL_FIELD_PAIRS");
    return set == nullptr ? 100'000 : std::stoul(set);
}

/// A number of this many limbs, in GMP's layout, which is that of Limbs.
template <std::size_t N>
using Number = std::array<mp_limb_t, N>;

template <std::size_t N>
Number<N> number(const Limbs<N>& limbs) {
    Number<N> result;
    std::copy(limbs.limbs.begin(), limbs.limbs.end(), result.begin());
    return result;
}

template <std::size_t N, std::size_t M>
Number<N> modulo(const Number<M>& value, const Number<N>& modulus) {
    static_assert(M >= N);
    Number<M - N + 1> quotient;
    Number<N> remainder;
    mpn_tdiv_qr(quotient.data(), remainder.data(), 0, value.data(), M, modulus.data(), N);
    return remainder;
}

template <std::size_t N>
Number<N> sum(const Number<N>& left, const Number<N>& right, const Number<N>& modulus) {
    Number<N + 1> result;
    result[N] = mpn_add_n(result.data(), left.data(), right.data(), N);
    return modulo(result, modulus);
}

template <std::size_t N>
Number<N> difference(const Number<N>& left, const Number<N>& right, const Number<N>& modulus) {
    Number<N> negated;
    mpn_sub_n(negated.data(), modulus.data(), right.data(), N);
    return sum(left, negated, modulus);
}

template <std::size_t N>
Number<N> product(const Number<N>& left, const Number<N>& right, const Number<N>& modulus) {
    Number<2 * N> result;
    mpn_mul_n(result.data(), left.data(), right.data(), N);
    return modulo(result, modulus);
}

/// Numbers of the field's limbs, each limb chosen from those at the borders, or random.
template <class Field>
class EdgeNumbers {
public:
    using Integer = typename Field::Integer;

    /// Any number of the field's limbs.
    Integer any() {
        if (bits_() % 8 == 0) return borders_[bits_() % borders_.size()];
        Integer result;
        for (std::size_t i = 0; i < Field::limbs; ++i) result.limbs[i] = limb(i);
        return result;
    }

    /// One below the modulus.
    Integer reduced() {
        Integer result = any();
        while (!is_less(result, Field::modulus)) result = halved(result);
        return result;
    }

private:
    static std::array<Integer, 7> borders() {
        const BigInteger p(Field::modulus);
        const auto of = [](const BigInteger& value) { return value.limbs<Field::limbs>(); };
        return {of(0), of(1), of(p - 1), of(p - 2), of(p), of(p * 2 - 1), of(BigInteger::power_of_two(64 * Field::limbs) - 1)};
    }

    std::uint64_t limb(std::size_t place) {
        const std::uint64_t of_modulus = Field::modulus.limbs[place];
        const std::uint64_t choices[] = {
            0, ~std::uint64_t{0}, 1, std::uint64_t{1} << 63, of_modulus, of_modulus - 1, of_modulus + 1, 2 * of_modulus};
        const std::uint64_t choice = bits_() % 12;
        return choice < std::size(choices) ? choices[choice] : bits_();
    }

    std::mt19937_64 bits_{6};
    std::array<Integer, 7> borders_ = borders();
};

/// Whether value * power is `expected` modulo the modulus, and the value is below it.
template <std::size_t N>
bool is_product(const Limbs<N>& value, const Number<N>& expected, const Number<N>& power, const Number<N>& modulus) {
    return mpn_cmp(number(value).data(), modulus.data(), N) < 0 && product(number(value), power, modulus) == expected;
}

}  // namespace

#define CUPOOL_FIELDS \
    "[kernels]", Bn254BaseField, Bn254ScalarField, Bls12381BaseField, Bls12381ScalarField, Bls12377BaseField, Bls12377ScalarField

TEMPLATE_TEST_CASE("host fields equal GMP on numbers of border limbs", CUPOOL_FIELDS) {
    using Field = HostField<TestType>;
    const auto p = number(Field::modulus);
    const auto r = number((BigInteger::power_of_two(64 * Field::limbs) % BigInteger(Field::modulus)).template limbs<Field::limbs>());
    EdgeNumbers<Field> numbers;
    for (std::size_t i = pair_count(); i > 0; --i) {
        const auto left = numbers.reduced();
        const auto right = numbers.reduced();
        const auto any = numbers.any();
        const Field a = Field::from_montgomery(left);
        const Field b = Field::from_montgomery(right);
        const auto x = number(left);
        const auto y = number(right);
        const auto x_any = product(x, number(any), p);
        bool is_right = number((a + b).montgomery()) == sum(x, y, p) && number((a - b).montgomery()) == difference(x, y, p) &&
                        number(a.negated().montgomery()) == difference({}, x, p) && number(a.doubled().montgomery()) == sum(x, x, p) &&
                        number(a.half().doubled().montgomery()) == x && is_product((a * b).montgomery(), product(x, y, p), r, p) &&
                        is_product(a.square().montgomery(), product(x, x, p), r, p) &&
                        is_product(portable_product<TestType>(left, any), x_any, r, p);
#if defined(CUPOOL_HAS_ASSEMBLED_PRODUCT)
        if (has_two_carry_chains) is_right = is_right && is_product(assembled_product<TestType>(left, any), x_any, r, p);
#endif
        if (!is_right) FAIL(BigInteger(left) << ", " << BigInteger(right) << ", " << BigInteger(any));
    }
    SUCCEED();
}

#if defined(CUPOOL_HAS_VECTOR_FIELD)

namespace {

struct Lanes {
    alignas(64) VectorLimbs limbs[vector_lanes];
};

template <class Vector>
CUPOOL_VECTOR Vector load(const Lanes& lanes) {
    const std::uint64_t* rows[vector_lanes];
    for (std::size_t i = 0; i < vector_lanes; ++i) rows[i] = lanes.limbs[i].data();
    return Vector::load(rows);
}

template <class Vector>
CUPOOL_VECTOR void store(const Vector& vector, Lanes& lanes) {
    std::uint64_t* rows[vector_lanes];
    for (std::size_t i = 0; i < vector_lanes; ++i) rows[i] = lanes.limbs[i].data();
    vector.store(rows);
}

/// Lane by lane left * right / R, left^2 / R, and a product of factors above the modulus: (2 left) * (2 right) / R.
template <class Vector>
CUPOOL_VECTOR void multiply(const Lanes& left, const Lanes& right, Lanes& products, Lanes& squares, Lanes& of_sums) {
    const Vector a = load<Vector>(left);
    const Vector b = load<Vector>(right);
    store(Vector::product(a, b), products);
    store(a.square(), squares);
    store(Vector::product(a.plus(a).normalized(), b.plus(b).normalized()), of_sums);
}

/// Lane by lane left - right + 2 p, reduced.
template <class Vector>
CUPOOL_VECTOR void subtract(const Lanes& left, const Lanes& right, Lanes& differences) {
    store(load<Vector>(left).minus(load<Vector>(right)).template plus_moduli<2>().reduced(), differences);
}

}  // namespace

TEMPLATE_TEST_CASE("vector fields equal GMP on numbers of border limbs", "[kernels]", Bn254BaseField, Bls12381BaseField,
                   Bls12377BaseField) {
    if (!has_vector_unit()) CUPOOL_SKIP("skipped: this processor has no AVX-512 IFMA");
    using Field = HostField<TestType>;
    using Vector = VectorField<TestType>;
    constexpr std::size_t n = Field::limbs;
    const auto p = number(Field::modulus);
    const BigInteger modulus(Field::modulus);
    const auto r = number((BigInteger::power_of_two(52 * Vector::limbs) % modulus).template limbs<n>());
    const auto most = number((modulus + BigInteger(divided(Field::modulus, 10))).template limbs<n>());
    EdgeNumbers<Field> numbers;
    const auto equals = [&](const VectorLimbs& limbs, const Number<n>& factor, const Number<n>& expected) {
        const auto value = number(from_vector_limbs<n>(limbs));
        return mpn_cmp(value.data(), most.data(), n) <= 0 && product(value, factor, p) == expected;
    };
    Number<n> one{1};
    for (std::size_t i = pair_count() / vector_lanes; i > 0; --i) {
        typename Field::Integer left[vector_lanes];
        typename Field::Integer right[vector_lanes];
        Lanes lefts;
        Lanes rights;
        for (std::size_t lane = 0; lane < vector_lanes; ++lane) {
            lefts.limbs[lane] = to_vector_limbs(left[lane] = numbers.reduced());
            rights.limbs[lane] = to_vector_limbs(right[lane] = numbers.reduced());
        }
        Lanes products;
        Lanes squares;
        Lanes of_sums;
        Lanes differences;
        multiply<Vector>(lefts, rights, products, squares, of_sums);
        subtract<Vector>(lefts, rights, differences);
        for (std::size_t lane = 0; lane < vector_lanes; ++lane) {
            const auto x = number(left[lane]);
            const auto y = number(right[lane]);
            const bool is_right = equals(products.limbs[lane], r, product(x, y, p)) && equals(squares.limbs[lane], r, product(x, x, p)) &&
                                  equals(of_sums.limbs[lane], r, product(sum(x, x, p), sum(y, y, p), p)) &&
                                  equals(differences.limbs[lane], one, difference(x, y, p));
            if (!is_right) FAIL("lane " << lane << ": " << BigInteger(left[lane]) << ", " << BigInteger(right[lane]));
        }
    }
    SUCCEED();
}

#endif
