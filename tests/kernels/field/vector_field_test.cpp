#include "field/vector_field.hpp"

#include "big_integer.hpp"
#include "catch.hpp"
#include "inputs.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

#define CUPOOL_BASE_FIELDS "[kernels]", Bn254BaseField, Bls12381BaseField, Bls12377BaseField
#define CUPOOL_VECTOR_UNIT_OR_SKIP \
    if (!has_vector_unit()) CUPOOL_SKIP("skipped: this processor has no AVX-512 IFMA")

namespace {

/// Eight numbers where vectors are loaded from and stored to.
struct Lanes {
    alignas(64) VectorLimbs limbs[vector_lanes];

    Lanes() = default;
    explicit Lanes(const std::vector<BigInteger>& numbers, std::size_t first = 0) {
        for (std::size_t i = 0; i < vector_lanes; ++i) limbs[i] = to_vector_limbs(numbers[(first + i) % numbers.size()].limbs<7>());
    }
    BigInteger operator[](std::size_t i) const { return BigInteger(from_vector_limbs<7>(limbs[i])); }
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

template <class Vector>
CUPOOL_VECTOR void product(const Lanes& left, const Lanes& right, Lanes& result) {
    store(Vector::product(load<Vector>(left), load<Vector>(right)), result);
}
template <class Vector>
CUPOOL_VECTOR void square(const Lanes& value, Lanes& result) {
    store(load<Vector>(value).square(), result);
}
template <class Vector>
CUPOOL_VECTOR void inverse(const Lanes& value, Lanes& result) {
    store(load<Vector>(value).inverse(), result);
}
/// 2 left - right + 4 p, once with all carries done and once reduced.
template <class Vector>
CUPOOL_VECTOR void combination(const Lanes& left, const Lanes& right, Lanes& normalized, Lanes& reduced) {
    const Vector sum = load<Vector>(left).plus(load<Vector>(left)).minus(load<Vector>(right)).template plus_moduli<4>();
    store(sum.normalized(), normalized);
    store(sum.reduced(), reduced);
}
/// Where the mask has bits -value + 7 p, else value + 7 p.
template <class Vector>
CUPOOL_VECTOR void negation(const Lanes& value, __mmask8 mask, Lanes& result) {
    store(load<Vector>(value).negated_where(mask).template plus_moduli<7>().normalized(), result);
}
template <class Vector>
CUPOOL_VECTOR void choice(const Lanes& value, __mmask8 mask, const Lanes& other, Lanes& result) {
    store(load<Vector>(value).with(mask, load<Vector>(other)), result);
}

struct Zeros {
    __mmask8 maybe;
    __mmask8 surely;
    __mmask8 maybe_exactly;
    __mmask8 exactly;
};
template <class Vector>
CUPOOL_VECTOR Zeros zeros(const Lanes& value) {
    const Vector vector = load<Vector>(value);
    return {vector.may_be_zero(), vector.is_zero(), vector.may_be_exactly_zero(), vector.is_exactly_zero()};
}

/// Numbers up to a tenth above p: borders, those with limbs of all ones or all zeros, and random ones.
template <class Parameters>
std::vector<BigInteger> numbers() {
    const BigInteger p(to_limbs(Parameters::modulus));
    std::vector<BigInteger> result = {0, 1, 2, p - 2, p - 1, p, p + 1, p + BigInteger(divided(to_limbs(Parameters::modulus), 10))};
    for (std::size_t bits = vector_limb_bits; bits < p.bit_count(); bits += vector_limb_bits) {
        result.push_back(BigInteger::power_of_two(bits) - 1);
        result.push_back(BigInteger::power_of_two(bits));
        result.push_back(p - BigInteger::power_of_two(bits));
    }
    result.push_back(BigInteger::power_of_two(p.bit_count() - 1) - 1);
    std::mt19937_64 bits(3);
    for (int i = 0; i < 7; ++i) result.push_back(BigInteger(random_limbs<Parameters::limbs>(bits)) % p);
    return result;
}

template <class Parameters>
bool is_below_eleven_tenths(const BigInteger& number) {
    return number * 10 < BigInteger(to_limbs(Parameters::modulus)) * 11;
}

}  // namespace

TEMPLATE_TEST_CASE("limbs of 52 bits hold the same integers", "[kernels]", Bn254BaseField, Bls12381BaseField) {
    constexpr std::size_t n = TestType::limbs;
    std::mt19937_64 bits(1);
    for (const auto& integer : {Limbs<n>{}, to_limbs(TestType::modulus), (BigInteger::power_of_two(64 * n) - 1).limbs<n>(),
                                random_limbs<n>(bits), random_limbs<n>(bits)}) {
        const VectorLimbs limbs = to_vector_limbs(integer);
        BigInteger sum;
        for (std::size_t i = limbs.size(); i-- > 0;) {
            CHECK(limbs[i] < std::uint64_t{1} << 52);
            sum = sum * BigInteger::power_of_two(52) + limbs[i];
        }
        CHECK(sum == BigInteger(integer));
        CHECK(from_vector_limbs<n>(limbs) == integer);
    }
}

TEMPLATE_TEST_CASE("vectors' products, squares and inverses equal those of plain integers", CUPOOL_BASE_FIELDS) {
    CUPOOL_VECTOR_UNIT_OR_SKIP;
    using Vector = VectorField<TestType>;
    const BigInteger p(to_limbs(TestType::modulus));
    const BigInteger r = BigInteger::power_of_two(52 * Vector::limbs) % p;
    const auto some = numbers<TestType>();
    for (std::size_t first = 0; first < some.size(); first += vector_lanes) {
        const Lanes left(some, first);
        Lanes result;
        square<Vector>(left, result);
        for (std::size_t i = 0; i < vector_lanes; ++i) {
            CHECK(is_below_eleven_tenths<TestType>(result[i]));
            CHECK(result[i] * r % p == left[i] * left[i] % p);
        }
        for (std::size_t shift = 0; shift < some.size(); shift += 3) {
            const Lanes right(some, first + shift);
            product<Vector>(left, right, result);
            for (std::size_t i = 0; i < vector_lanes; ++i) {
                CHECK(is_below_eleven_tenths<TestType>(result[i]));
                CHECK(result[i] * r % p == left[i] * right[i] % p);
            }
        }
    }
    std::vector<BigInteger> invertible;
    for (const BigInteger& number : some) {
        if (!(number % p == 0)) invertible.push_back(number);
    }
    for (std::size_t first = 0; first < invertible.size(); first += vector_lanes) {
        const Lanes value(invertible, first);
        Lanes result;
        inverse<Vector>(value, result);
        for (std::size_t i = 0; i < vector_lanes; ++i) CHECK(result[i] * value[i] % p == r * r % p);
    }
}

TEMPLATE_TEST_CASE("vectors multiply factors above the modulus", CUPOOL_BASE_FIELDS) {
    CUPOOL_VECTOR_UNIT_OR_SKIP;
    using Vector = VectorField<TestType>;
    const BigInteger p(to_limbs(TestType::modulus));
    const BigInteger r = BigInteger::power_of_two(52 * Vector::limbs) % p;
    const Lanes large({p * 5, p * 5 - 1, p * 4 + 1, p * 3, p * 5 + 1, p * 2, p * 4, p + 1});
    const Lanes small(numbers<TestType>(), 3);  // with the largest
    Lanes result;
    product<Vector>(large, small, result);
    for (std::size_t i = 0; i < vector_lanes; ++i) {
        CHECK(is_below_eleven_tenths<TestType>(result[i]));
        CHECK(result[i] * r % p == large[i] * small[i] % p);
    }
}

TEMPLATE_TEST_CASE("vectors' sums and differences are right and small", CUPOOL_BASE_FIELDS) {
    CUPOOL_VECTOR_UNIT_OR_SKIP;
    using Vector = VectorField<TestType>;
    const BigInteger p(to_limbs(TestType::modulus));
    const auto some = numbers<TestType>();
    for (std::size_t shift = 0; shift < some.size(); shift += 3) {
        for (std::size_t first = 0; first < some.size(); first += vector_lanes) {
            const Lanes left(some, first);
            const Lanes right(some, first + shift);
            Lanes normalized;
            Lanes reduced;
            combination<Vector>(left, right, normalized, reduced);
            for (std::size_t i = 0; i < vector_lanes; ++i) {
                const BigInteger expected = left[i] + left[i] + p * 4 - right[i];
                CHECK(normalized[i] == expected);
                CHECK(is_below_eleven_tenths<TestType>(reduced[i]));
                CHECK(reduced[i] % p == expected % p);
            }
        }
    }
    const Lanes value(some, 2);
    Lanes result;
    negation<Vector>(value, 0x5a, result);
    for (std::size_t i = 0; i < vector_lanes; ++i) {
        CHECK(result[i] == ((0x5a >> i & 1) != 0 ? p * 7 - value[i] : p * 7 + value[i]));
    }
    const Lanes other(some, 11);
    choice<Vector>(value, 0x35, other, result);
    for (std::size_t i = 0; i < vector_lanes; ++i) CHECK(result[i] == ((0x35 >> i & 1) != 0 ? other[i] : value[i]));
}

TEMPLATE_TEST_CASE("vectors tell zero in all its forms", CUPOOL_BASE_FIELDS) {
    CUPOOL_VECTOR_UNIT_OR_SKIP;
    using Vector = VectorField<TestType>;
    const BigInteger p(to_limbs(TestType::modulus));
    const BigInteger high = BigInteger::power_of_two(p.bit_count() - 1);  // differs from zero in its highest limb alone
    const Zeros found = zeros<Vector>(Lanes({0, p, p * 2, p * 3, high, p + high, p - 1, 1}));
    CHECK(+found.surely == 0x0f);
    CHECK(+found.maybe == 0x3f);
    CHECK(+found.exactly == 0x01);
    CHECK(+found.maybe_exactly == 0x11);
    CHECK(+zeros<Vector>(Lanes({p * 4, p * 5, p * 6, p * 7, p * 4 + 1, p * 7 - 1, 2, 3})).surely == 0x0f);
}

#endif
