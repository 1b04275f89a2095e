#include "curve/host_points.hpp"

#include "catch.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

template <Curve C>
struct WeightedPoints {
    std::uint32_t weight;
    std::vector<AffinePoint<C>> points;
};

/// The sum as these points, of host_points.hpp, make it: every other one lies in the table as its negative.
template <Curve C, class Points>
AffinePoint<C> weighted_sum_of(const std::vector<WeightedPoints<C>>& buckets) {
    std::vector<AffinePoint<C>> table;
    std::vector<Bucket> sizes;
    std::vector<Term> terms;
    for (const auto& bucket : buckets) {
        sizes.push_back({bucket.weight, static_cast<std::uint32_t>(bucket.points.size())});
        for (const auto& point : bucket.points) {
            const bool is_negative = table.size() % 2 != 0;
            terms.push_back({static_cast<std::uint32_t>(table.size()) & 0x7fffffff, is_negative});
            table.push_back(is_negative ? negate(point) : point);
        }
    }
    Points points(table.size());
    points.load(0, table, false);
    return store_affine<C>(normalized(points.weighted_sum(sizes, terms)), false);
}

/// The same on every unit that this processor has.
template <Curve C>
AffinePoint<C> weighted_sum(const std::vector<WeightedPoints<C>>& buckets) {
    const AffinePoint<C> sum = weighted_sum_of<C, ScalarPoints<C>>(buckets);
#if defined(CUPOOL_HAS_VECTOR_FIELD)
    if constexpr (base_field_degree<C> == 1) {
        if (has_vector_unit()) CHECK(weighted_sum_of<C, VectorPoints<C>>(buckets) == sum);
    }
#endif
    return sum;
}

template <Curve C>
AffinePoint<C> term_by_term(const std::vector<WeightedPoints<C>>& buckets) {
    AffinePoint<C> sum;
    for (const auto& bucket : buckets) {
        for (const auto& point : bucket.points) sum = add(sum, multiply(point, scalar_of(bucket.weight)));
    }
    return sum;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("buckets of any size and weight add up", CUPOOL_EACH_CURVE) {
    const auto points = generator_multiples<C>(1, 700);
    CHECK(is_infinity(weighted_sum<C>({})));
    std::mt19937_64 bits(4);
    for (const std::size_t most : {1, 2, 3, 4, 40, 400}) {
        std::vector<WeightedPoints<C>> buckets;
        std::uint32_t weight = 0;
        for (std::size_t next = 0; next < points.size();) {
            const std::size_t size = std::min(points.size() - next, 1 + bits() % most);
            weight += 1 + static_cast<std::uint32_t>(bits() % (most == 3 ? 10000 : 3));
            buckets.push_back({weight, {points.begin() + next, points.begin() + next + size}});
            next += size;
        }
        CHECK(weighted_sum<C>(buckets) == term_by_term<C>(buckets));
    }
}

TEMPLATE_TEST_CASE_SIG("buckets of equal, opposite and infinite points, with rounds of shared inversions", CUPOOL_EACH_CURVE) {
    const AffinePoint<C> g = generator<C>();
    const std::size_t count = 300;  // rounds of 150 and 75 pairs share an inversion, the rest is added one by one
    const std::vector<AffinePoint<C>> equal(count, g);
    CHECK(weighted_sum<C>({{3, equal}}) == multiply(g, scalar_of(3 * count)));

    std::vector<AffinePoint<C>> opposite;
    std::vector<AffinePoint<C>> mixed;
    const std::vector<AffinePoint<C>> some = {g, negate(g), infinity<C>(), infinity<C>(), infinity<C>(), g, g, infinity<C>(), g, g};
    for (std::size_t i = 0; i < count; ++i) {
        opposite.push_back(i % 2 == 0 ? g : negate(g));
        mixed.push_back(some[i % some.size()]);
    }
    CHECK(is_infinity(weighted_sum<C>({{1, opposite}})));
    CHECK(weighted_sum<C>({{1, opposite}, {2, mixed}, {9, equal}}) == multiply(g, scalar_of(2 * 4 * count / some.size() + 9 * count)));
    CHECK(is_infinity(weighted_sum<C>({{5, std::vector<AffinePoint<C>>(count)}})));
}

TEMPLATE_TEST_CASE_SIG("buckets with one special pair among many", CUPOOL_EACH_CURVE) {
    const auto points = generator_multiples<C>(1, 70);
    const auto sum_of_all = [](const std::vector<AffinePoint<C>>& some) { return term_by_term<C>({{1, some}}); };
    for (const std::size_t place : {0, 1, 22, 23, 68, 69}) {  // left and right of a pair, in first, middle and last vectors
        auto some = points;
        some[place] = infinity<C>();
        CHECK(weighted_sum<C>({{1, some}}) == sum_of_all(some));
        some[place] = points[place ^ 1];
        CHECK(weighted_sum<C>({{1, some}}) == sum_of_all(some));
        some[place] = negate(points[place ^ 1]);
        CHECK(weighted_sum<C>({{1, some}}) == sum_of_all(some));
    }
}

TEST_CASE("buckets of points of order two", "[kernels]") {
    constexpr Curve C = Curve::bls12_377;
    const AffinePoint<C> point = (*points_with_x<C>(negate(AffinePoint<C>{{}, {{1}}}).y))[0];  // x = -1
    REQUIRE(point.y == BaseFieldElement<C>{});
    CHECK(is_infinity(weighted_sum<C>({{1, std::vector<AffinePoint<C>>(300, point)}})));
    CHECK(weighted_sum<C>({{1, std::vector<AffinePoint<C>>(301, point)}}) == point);
}

TEST_CASE("buckets of points whose x is zero", "[kernels]") {
    constexpr Curve C = Curve::bls12_381;
    const auto both = *points_with_x<C>({});  // of order three: each is its own double's negative
    const auto points = generator_multiples<C>(1, 64);
    std::vector<AffinePoint<C>> mixed;
    for (const auto& point : points) mixed.insert(mixed.end(), {both[0], point, both[0], both[0], infinity<C>(), both[1]});
    CHECK(is_infinity(weighted_sum<C>({{3, std::vector<AffinePoint<C>>(200, both[0])}})));
    CHECK(weighted_sum<C>({{1, std::vector<AffinePoint<C>>(200, both[0])}}) == both[1]);
    CHECK(weighted_sum<C>({{1, mixed}, {2, mixed}}) == term_by_term<C>({{1, mixed}, {2, mixed}}));
}

TEST_CASE("this processor's vector unit", "[kernels]") {
#if defined(CUPOOL_HAS_VECTOR_FIELD)
    if (has_vector_unit()) return;
#endif
    CUPOOL_SKIP("skipped: host MSMs on the vector unit, which this processor lacks (AVX-512 IFMA)");
}
