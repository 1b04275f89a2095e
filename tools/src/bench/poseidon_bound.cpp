#include "bench/poseidon_bound.hpp"

#include "bench/multiply_rate.hpp"

namespace cupool::tools {
namespace {

constexpr double full_rounds = 8;

double sum_slots(double terms) { return (terms + 1) * product_slots_of_four_limbs / 2; }

}  // namespace

double poseidon_multiply_slots(PoseidonVariant variant, unsigned width, unsigned partial_rounds) {
    const double power = 2 * square_slots_of_four_limbs + product_slots_of_four_limbs;
    if (variant == PoseidonVariant::poseidon2) {
        const double internal = width < 4 ? 0 : width * product_slots_of_four_limbs;
        return full_rounds * width * power + partial_rounds * (power + internal);
    }
    const double others = width - 1;
    return full_rounds * width * (power + sum_slots(width)) + partial_rounds * (power + sum_slots(2 * others + 1)) +
           others * sum_slots(2 * others);
}

}  // namespace cupool::tools
