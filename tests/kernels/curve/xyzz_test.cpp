#include "curve/xyzz.hpp"

#include "catch.hpp"
#include "curve/host_curve.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

/// by * 1.
template <class Field>
Field small(std::uint64_t by) {
    Field sum = Field::zero();
    for (std::uint64_t i = 0; i < by; ++i) sum = sum + Field::one();
    return sum;
}

/// The same point with another denominator.
template <class Field>
Xyzz<Field> scaled(const Xyzz<Field>& point, std::uint64_t by) {
    const Field z = small<Field>(by);
    const Field zz = z.square();
    return {point.x * zz, point.y * zz * z, point.zz * zz, point.zzz * zz * z};
}

template <class Field>
bool same(const Xyzz<Field>& left, const Xyzz<Field>& right) {
    const auto a = normalized(left);
    const auto b = normalized(right);
    return a.x == b.x && a.y == b.y;
}

/// Whether sum = left + right by the chord-and-tangent rule: the third point of the curve on the line through both is -sum.
template <class Field>
bool is_sum(const Affine<Field>& left, const Affine<Field>& right, const Affine<Field>& sum, const Field& b) {
    if (sum.y.square() != sum.x.square() * sum.x + b) return false;
    const Field across = sum.x - left.x;
    const Field up = sum.y.negated() - left.y;
    if (left.x == right.x) return (left.x.square() * small<Field>(3)) * across == left.y.doubled() * up && !(sum.x == left.x);
    return (right.y - left.y) * across == (right.x - left.x) * up && !(sum.x == left.x) && !(sum.x == right.x);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("XYZZ addition and doubling obey the chord-and-tangent rule", CUPOOL_EACH_CURVE) {
    using Point = HostXyzz<C>;
    const auto points = points_by_x<C>(12);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const HostAffine<C> left = load(points[i], false);
        if (!left.y.is_zero() && !left.x.is_zero()) {  // x = 0: points of order 3, whose double has the same x
            CHECK(is_sum(left, left, normalized(Point::from(left).doubled()), curve_coefficient<C>()));
            CHECK(same(scaled(Point::from(left), 5).doubled(), Point::from(left).doubled()));
        }
        for (std::size_t j = 0; j < i; ++j) {
            const HostAffine<C> right = load(points[j], false);
            Point mixed = scaled(Point::from(left), 3);
            mixed += right;
            Point full = scaled(Point::from(left), 7);
            full += scaled(Point::from(right), 11);
            CHECK(same(mixed, full));
            const auto sum = normalized(mixed);
            if (!(sum.x == left.x) && !(sum.x == right.x)) CHECK(is_sum(left, right, sum, curve_coefficient<C>()));
        }
    }
}

TEMPLATE_TEST_CASE_SIG("XYZZ addition is right for infinity, equal and opposite points", CUPOOL_EACH_CURVE) {
    using Point = HostXyzz<C>;
    const HostAffine<C> affine = load(generator<C>(), false);
    const HostAffine<C> nothing = load(infinity<C>(), false);
    const Point point = scaled(Point::from(affine), 3);
    const Point other_form = scaled(Point::from(affine), 5);
    const Point infinity = Point::infinity();
    const auto sum = [](Point left, const auto& right) { return left += right; };

    CHECK(Point::from(nothing).is_infinity());
    CHECK_FALSE(point.is_infinity());
    CHECK(sum(infinity, infinity).is_infinity());
    CHECK(sum(infinity, nothing).is_infinity());
    CHECK(same(sum(infinity, affine), point));
    CHECK(same(sum(infinity, point), point));
    CHECK(same(sum(point, infinity), point));
    CHECK(same(sum(point, nothing), point));

    CHECK(same(sum(point, affine), Point::from(affine).doubled()));
    CHECK(same(sum(point, other_form), Point::from(affine).doubled()));
    CHECK(same(sum(point, point), Point::from(affine).doubled()));

    CHECK(sum(point, affine.negated()).is_infinity());
    CHECK(sum(point, other_form.negated()).is_infinity());
    CHECK(sum(point, point.negated()).zzz.is_zero());
    CHECK(infinity.doubled().is_infinity());
    CHECK(infinity.negated().is_infinity());
}

TEST_CASE("a point of order two doubles to infinity", "[kernels]") {
    const auto minus_one = HostBaseField<Curve::bls12_377>::one().negated();
    const HostAffine<Curve::bls12_377> point{minus_one, HostBaseField<Curve::bls12_377>::zero()};  // 0 = (-1)^3 + 1
    using Point = HostXyzz<Curve::bls12_377>;
    CHECK(Point::from(point).doubled().is_infinity());
    CHECK(Point::from(point).doubled().zzz.is_zero());
    CHECK(scaled(Point::from(point), 3).doubled().is_infinity());
    Point sum = Point::from(point);
    sum += point;
    CHECK(sum.is_infinity());
}
