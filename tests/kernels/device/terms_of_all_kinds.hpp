#pragma once

#include <cupool/kernels/point.hpp>
#include <random>
#include <vector>

#include "machine.hpp"

namespace cupool::test {

/// A device so small that few terms already have batched-affine rounds.
inline SimulatedDevice small_device() {
    SimulatedDevice device;
    device.multiprocessor_count = 1;
    return device;
}

/// Terms whose points are distinct, equal, opposite and infinite, and what they come to.
template <Curve C>
struct TermsOfAllKinds {
    static constexpr bool have_short_scalars =
        base_field_degree<C> == 2;  // two rounds are enough where an addition takes three times as long
    static constexpr int bits = have_short_scalars ? 96 : 0;

    std::vector<AffinePoint<C>> points;
    std::vector<Scalar> scalars;
    AffinePoint<C> sum = infinity<C>();

    explicit TermsOfAllKinds(std::size_t count) {
        std::mt19937_64 random(7);
        const auto multiples = generator_multiples<C>(1, count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t kind = i % 6;
            points.push_back(kind == 0 ? multiples[0] : kind == 1 ? negate(multiples[0]) : kind == 2 ? infinity<C>() : multiples[i]);
            Scalar scalar;
            for (auto& limb : scalar.limbs) limb = random();
            if (i % 5 == 0) scalar = Scalar{{1, 0, 0, 0}};
            if (have_short_scalars) scalar = Scalar{{scalar.limbs[0], scalar.limbs[1] >> 32}};
            scalars.push_back(scalar);
            sum = add(sum, multiply(points[i], scalar));
        }
    }
};

}  // namespace cupool::test
