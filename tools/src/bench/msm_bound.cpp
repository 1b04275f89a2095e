#include "bench/msm_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/multiply_rate.hpp"

namespace cupool::tools {
namespace {

struct FieldCosts {
    double product;
    double square;
};

unsigned order_bits(Curve curve) {
    return with_curve(curve, []<Curve C>() { return scalar_bits<C>; });
}

/// A product in a quadratic extension takes three integer products and two reductions (Aranha et
/// al., "Faster explicit formulas for computing pairings over ordinary curves", Eurocrypt 2011,
/// section 3); a square takes two of each.
FieldCosts quadratic_costs(const FieldCosts& prime, double reduction) { return {3 * prime.product - reduction, 2 * prime.product}; }

FieldCosts field_costs(Curve curve) {
    constexpr FieldCosts four_limbs{product_slots_of_four_limbs, square_slots_of_four_limbs};
    constexpr FieldCosts six_limbs{588, 456};
    switch (curve) {
        case Curve::bn254: return four_limbs;
        case Curve::bn254_g2: return quadratic_costs(four_limbs, 136);
        case Curve::bls12_381_g2: return quadratic_costs(six_limbs, 300);
        case Curve::bls12_381:
        case Curve::bls12_377: break;
    }
    return six_limbs;
}

}  // namespace

double msm_multiply_slots(Curve curve, double terms) {
    const auto [product, square] = field_costs(curve);
    const double affine_addition = 5 * product + square;
    const double xyzz_addition = 12 * product + 2 * square;
    double least = std::numeric_limits<double>::infinity();
    for (unsigned width = 1; width <= 30; ++width) {
        const double windows = order_bits(curve) / width + 1;
        const double buckets = std::exp2(width - 1);
        least = std::min(least, windows * (terms * affine_addition + buckets * 2 * xyzz_addition));
    }
    return least;
}

std::optional<double> msm_bound_milliseconds(Curve curve, std::size_t terms, const DevicePool& pool) {
    if (pool.is_host()) return std::nullopt;
    const double share = static_cast<double>(terms) / static_cast<double>(pool.device_count());
    double longest = 0;
    for (const int ordinal : pool.devices()) {
        const auto rate = multiply_slots_a_millisecond(pool.context(ordinal).context().device());
        if (!rate) return std::nullopt;
        longest = std::max(longest, msm_multiply_slots(curve, share) / *rate);
    }
    return longest;
}

}  // namespace cupool::tools
