// The bounds of the host's vectors of field elements: VectorField itself, on registers of intervals, and on numbers at the bounds.
#include "interval_register.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

#include "big_integer.hpp"
#include "vector_contract.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

// Fields of this file's own, since elsewhere VectorField has the processor's registers.
struct IntervalBn254 : Bn254BaseField {};
struct IntervalBls12381 : Bls12381BaseField {};
struct IntervalBls12377 : Bls12377BaseField {};
struct IntervalBn254Scalar : Bn254ScalarField {};
struct IntervalBls12381Scalar : Bls12381ScalarField {};
struct IntervalBls12377Scalar : Bls12377ScalarField {};

#define CUPOOL_FIELDS \
    "[kernels]", IntervalBn254, IntervalBls12381, IntervalBls12377, IntervalBn254Scalar, IntervalBls12381Scalar, IntervalBls12377Scalar

template <class Parameters>
struct Bounds {
    using Vector = VectorField<Parameters>;

    static constexpr std::size_t limbs = Vector::limbs;
    static constexpr VectorContract contract = std::is_same_v<Parameters, IntervalBls12381Scalar> ? tight_contract : usual_contract;
    static constexpr int max_element = contract.max_element;
    const BigInteger p = BigInteger(to_limbs(Parameters::modulus));
    const BigInteger r = BigInteger::power_of_two(limbs * vector_limb_bits);
    /// The weight of the highest limb.
    const BigInteger highest = BigInteger::power_of_two((limbs - 1) * vector_limb_bits);

    Bounds() { truncating_factor = Parameters::negated_inverse & vector_limb_mask; }

    static Vector from_intervals(const std::array<Interval, limbs>& intervals) {
        Vector vector = Vector::zero();
        for (std::size_t i = 0; i < limbs; ++i) std::fill_n(reinterpret_cast<IntervalRegister*>(&vector)[i].lane, 8, intervals[i]);
        return vector;
    }
    static std::array<Interval, limbs> to_intervals(const Vector& vector) {
        std::array<Interval, limbs> intervals;
        for (std::size_t i = 0; i < limbs; ++i) intervals[i] = reinterpret_cast<const IntervalRegister*>(&vector)[i].lane[0];
        return intervals;
    }

    /// The highest limb of a number whose carries are done.
    Int128 highest_limb(const BigInteger& number) const { return static_cast<Int128>(to_vector_limbs(number.limbs<7>())[limbs - 1]); }
    /// All numbers up to `most`, with their carries done.
    Vector up_to(const BigInteger& most) const {
        std::array<Interval, limbs> intervals;
        intervals.fill({0, limb_end - 1});
        intervals[limbs - 1] = {0, highest_limb(most)};
        return from_intervals(intervals);
    }
    static Vector number(const BigInteger& value) { return Vector::broadcast(to_vector_limbs(value.limbs<7>())); }

    /// All limbs are done, and the highest is no larger than that of a register can be for the next product.
    static void check_normalized(const Vector& vector) {
        for (const Interval& limb : to_intervals(vector)) CHECK(limb.is_within(0, limb_end - 1));
    }
    /// The number, of which it is checked that it is an element.
    BigInteger element(const Vector& vector) const {
        BigInteger value;
        const auto intervals = to_intervals(vector);
        for (std::size_t i = limbs; i-- > 0;) {
            REQUIRE(intervals[i].is_number());
            REQUIRE(intervals[i].is_within(0, limb_end - 1));
            value = value * BigInteger::power_of_two(vector_limb_bits) + static_cast<std::uint64_t>(intervals[i].least);
        }
        CHECK(value * tenths < p * max_element);
        return value;
    }
    /// (a + q p) / R with a <= `whole` and q < R.
    bool reduces_to_element(const BigInteger& whole) const { return (whole + (r - 1) * p) * tenths < r * p * max_element; }
};

}  // namespace

TEMPLATE_TEST_CASE("bounds: vector products are elements", CUPOOL_FIELDS) {
    const Bounds<TestType> bounds;
    const BigInteger& p = bounds.p;
    const BigInteger any = BigInteger::power_of_two(64 * TestType::limbs) - 1;
    CHECK(p * bounds.contract.room < bounds.r);
    // Hundredths of p^2: the whole is a hundred times as large, and so is R.
    CHECK((p * p * bounds.contract.max_factor_product + (bounds.r - 1) * p * 100) * tenths < bounds.r * p * 100 * bounds.max_element);
    CHECK(bounds.reduces_to_element(any * p));                       // points that are loaded, times a constant below p
    CHECK(p * bounds.max_element < (any + 1) * tenths);              // to_element(): it has the limbs of 64 bits,
    CHECK(BigInteger(bounds.max_element) < BigInteger(2 * tenths));  // and less than 2 p, of which p is subtracted once
}

TEMPLATE_TEST_CASE("bounds: vector columns fit their lanes", CUPOOL_FIELDS) {
    using Vector = VectorField<TestType>;
    const Bounds<TestType> bounds;
    // More than any factors have, whose product is below 6.5 p^2.
    const Vector factor = bounds.up_to(bounds.p * 7);
    bounds.check_normalized(Vector::product(factor, factor));
    bounds.check_normalized(factor.square());
    const Vector loaded = bounds.up_to(BigInteger::power_of_two(64 * TestType::limbs) - 1);
    bounds.check_normalized(Vector::product(loaded, bounds.up_to(bounds.p)));
}

TEMPLATE_TEST_CASE("bounds: vector carries are done from sums of limbs", CUPOOL_FIELDS) {
    const Bounds<TestType> bounds;
    std::array<Interval, Bounds<TestType>::limbs> limbs;
    limbs.fill({-max_limb_terms * limb_end, max_limb_terms * limb_end});
    limbs.back() = {max_limb_terms + 1, bounds.highest_limb(bounds.p * 7) - max_limb_terms};  // of a number that is not negative
    bounds.check_normalized(bounds.from_intervals(limbs).normalized());
}

/// The estimate of the highest limb, h, is at most that of the number with its carries done, T, and at least T - 2: what comes into the
/// limb below is no more than one in either direction. q = h inverse / 2^52, rounded down, with inverse = 2^52 / (highest limb of p + 1).
TEMPLATE_TEST_CASE("bounds: vector reductions give elements", CUPOOL_FIELDS) {
    const Bounds<TestType> bounds;
    const BigInteger& p = bounds.p;
    const Int128 inverse = limb_end / (bounds.highest_limb(p) + 1);
    const auto big = [](Int128 number) { return BigInteger(static_cast<std::uint64_t>(number)); };
    CHECK(BigInteger(2 * tenths) * bounds.highest < p * min_reduced);  // T - 2 is not negative
    CHECK(big(bounds.highest_limb(p * 7) * inverse / limb_end) < BigInteger(8));
    static_assert(max_reduced == 7 * tenths);
    for (int q = 0; q < 8; ++q) {
        const Int128 least = (q * limb_end + inverse - 1) / inverse;  // h that gives q
        const Int128 most = ((q + 1) * limb_end - 1) / inverse;
        CHECK(!(big(least) * bounds.highest < p * static_cast<std::uint64_t>(q)));
        const BigInteger limit = big(most + 3) * bounds.highest;  // above the number, as T is at most h + 2
        CHECK(!(p * static_cast<std::uint64_t>(tenths * q + bounds.max_element) < limit * tenths));
    }

    // The code itself, on all sums of limbs at once: factors have 52 bits and the table has the multiple.
    std::array<Interval, Bounds<TestType>::limbs> limbs;
    limbs.fill({-max_limb_terms * limb_end, max_limb_terms * limb_end});
    limbs.back() = {bounds.highest_limb(p) / 2 - max_limb_terms - 1, bounds.highest_limb(p * 7) + max_limb_terms + 1};
    (void)bounds.from_intervals(limbs).reduced();

    // And on the numbers about those where q changes, with carries that have not been done.
    for (int q = 0; q < 8; ++q) {
        const Int128 least = (q * limb_end + inverse - 1) / inverse;
        for (int offset = -3; offset <= 3; ++offset) {
            for (const BigInteger& low : {BigInteger(0), bounds.highest - 1}) {
                const BigInteger value = big(std::max<Int128>(least + offset, 0)) * bounds.highest + low;
                if (value * tenths < p * min_reduced || p * 7 < value) continue;
                for (const int borrowed : {-max_limb_terms + 1, 0, max_limb_terms - 1}) {
                    auto sum = bounds.to_intervals(bounds.number(value));
                    for (std::size_t i = 0; i + 1 < sum.size(); ++i) {
                        sum[i] = {sum[i].least + borrowed * limb_end, sum[i].most + borrowed * limb_end};
                        sum[i + 1] = {sum[i + 1].least - borrowed, sum[i + 1].most - borrowed};
                    }
                    CHECK(bounds.element(bounds.from_intervals(sum).reduced()) % p == value % p);
                }
            }
        }
    }
}

TEMPLATE_TEST_CASE("bounds: vector products are right at the bounds", CUPOOL_FIELDS) {
    using Vector = VectorField<TestType>;
    const Bounds<TestType> bounds;
    const BigInteger& p = bounds.p;
    const BigInteger element = p + BigInteger(divided(to_limbs(TestType::modulus), 10));
    const BigInteger ones = BigInteger::power_of_two(p.bit_count() - 1) - 1;
    const BigInteger values[] = {0, 1, p - 1, p, p + 1, element, p * 2 + element, p * 4 + element, ones, ones * 2 + 1};
    for (const BigInteger& a : values) {
        for (const BigInteger& b : values) {
            if (!(a * b * 100 < p * p * bounds.contract.max_factor_product)) continue;
            CHECK(bounds.element(Vector::product(bounds.number(a), bounds.number(b))) * bounds.r % p == a * b % p);
        }
        if (a * a * 100 < p * p * bounds.contract.max_factor_product)
            CHECK(bounds.element(bounds.number(a).square()) * bounds.r % p == a * a % p);
    }
}

#endif
