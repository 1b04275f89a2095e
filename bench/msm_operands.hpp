#pragma once

#include <cstddef>
#include <cupool/cupool.hpp>
#include <random>
#include <span>
#include <vector>

#include "checks/closed_form.hpp"
#include "require.hpp"

/// The operands of an MSM with a known sum: random scalars over the points (i + 1) * G.
template <cupool::Curve C>
class MsmOperands {
public:
    explicit MsmOperands(std::size_t count) : points_(cupool::generator_multiples<C>(1, count)), scalars_(count) {
        std::mt19937_64 random(1);
        for (cupool::Scalar& scalar : scalars_) {
            for (std::uint64_t& limb : scalar.limbs) limb = random();
        }
    }

    std::span<const cupool::AffinePoint<C>> points() const { return points_; }
    std::span<const cupool::Scalar> scalars() const { return scalars_; }

    /// The sum by its closed form, which takes longer than an MSM on a GPU.
    cupool::AffinePoint<C> sum() const { return cupool::multiply(cupool::generator<C>(), cupool::tools::weighted_sum<C>(scalars_)); }

    /// \throws std::runtime_error  if `sum` is not the sum
    void check(const cupool::JacobianPoint<C>& sum) const {
        require(cupool::to_affine(sum) == this->sum(), "an MSM is not its closed form");
    }

private:
    std::vector<cupool::AffinePoint<C>> points_;
    std::vector<cupool::Scalar> scalars_;
};
