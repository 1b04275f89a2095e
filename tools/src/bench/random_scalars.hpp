#pragma once

#include <cupool/kernels/curve.hpp>
#include <random>
#include <vector>

#include "checks/closed_form.hpp"

namespace cupool::tools {

/// A scalar uniform below r, by rejection sampling.
template <Curve C>
Scalar uniform_scalar(std::mt19937_64& random) {
    const std::uint64_t top_limb = ~std::uint64_t{0} >> (256 - scalar_bits<C>);
    Scalar scalar;
    do {
        for (auto& limb : scalar.limbs) limb = random();
        scalar.limbs[3] &= top_limb;
    } while (!is_reduced_scalar<C>(scalar));
    return scalar;
}

template <Curve C>
std::vector<Scalar> uniform_scalars(std::size_t count, std::mt19937_64& random) {
    std::vector<Scalar> scalars(count);
    for (Scalar& scalar : scalars) scalar = uniform_scalar<C>(random);
    return scalars;
}

}  // namespace cupool::tools
