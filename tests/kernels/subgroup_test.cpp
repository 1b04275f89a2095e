#include "subgroup.hpp"

#include "catch.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;
using namespace cupool::test;

namespace {

template <Curve C>
void check_membership(const AffinePoint<C>& point, int& members, int& strangers) {
    const bool expected = is_infinity(multiply(point, group_order<C>()));
    CHECK(is_in_subgroup(point) == expected);
    ++(expected ? members : strangers);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("the subgroup check agrees with multiplication by r", CUPOOL_EACH_CURVE) {
    int members = 0;
    int strangers = 0;
    check_membership(infinity<C>(), members, strangers);
    for (const auto& point : points_by_x<C>(25)) {
        check_membership(point, members, strangers);
        check_membership(negate(point), members, strangers);
        // r * point lies in the cofactor's part of the group, if not at infinity; its sum with a member is no member.
        const auto cofactor_part = multiply(point, group_order<C>());
        check_membership(cofactor_part, members, strangers);
        check_membership(add(cofactor_part, generator<C>()), members, strangers);
    }
    for (const auto& point : generator_multiples<C>(1, 10)) check_membership(point, members, strangers);
    CHECK(members >= 11);
    CHECK((strangers > 20) == (C != Curve::bn254));
}

TEMPLATE_TEST_CASE_SIG("the subgroup check agrees with multiplication by r for points of small order", "[kernels]", ((Curve C), C),
                       Curve::bls12_381, Curve::bls12_377) {
    // The curve has (1 + u)^2 / 3 or (1 - u)^2 / 3 times r points: multiplying by parts of that leaves points of small order.
    const std::uint64_t root = C == Curve::bls12_381 ? Parameters<C>::u + 1 : Parameters<C>::u - 1;  // of 3 * cofactor
    int members = 0;
    int strangers = 0;
    for (const auto& point : points_by_x<C>(10)) {
        AffinePoint<C> small = multiply(point, group_order<C>());
        for (const std::uint64_t prime : {2u, 3u, 11u}) {
            std::uint64_t rest = root;
            while (rest % prime == 0) rest /= prime;
            check_membership(multiply(multiply(small, scalar_of(rest)), scalar_of(rest)), members, strangers);
        }
    }
    const auto at_zero = points_with_x<C>({});  // of order 3
    REQUIRE(at_zero);
    CHECK(is_infinity(multiply((*at_zero)[0], scalar_of(3))));
    check_membership((*at_zero)[0], members, strangers);
    CHECK(strangers > 5);
}
