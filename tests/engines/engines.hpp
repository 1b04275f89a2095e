// The engine that CUPOOL_TEST_ENGINE chooses, and inputs of a size that suits it.
#pragma once

#include <cupool/kernels/msm.hpp>
#include <cupool/kernels/point.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/pool/device_pool.hpp>
#include <random>
#include <vector>

namespace cupool::test {

/// What CUPOOL_TEST_ENGINE asks for: gpu, or host (the default).
const DevicePool& engine_pool();

/// One context a device of the engine: the host's, or each GPU's.
std::vector<DeviceContext> engine_contexts();

/// The same, but the last alone where they are simulated and sanitized, which takes seconds an MSM: for what every device does alike.
std::vector<DeviceContext> sampled_contexts();

/// Whether the engine's GPUs are simulated, so that tests must be small.
bool is_simulated();

/// Whether the engine's GPUs are simulated and the group is a G2, where an addition takes three times as long: a test or two of each kernel
/// are enough there.
template <Curve C>
bool is_slow() {
    return base_field_degree<C> == 2 && is_simulated();
}

/// A source of randomness that is the same in every run.
std::mt19937_64& random_bits();

Scalar random_scalar();
template <Curve C>
Scalar random_reduced_scalar();

/// The integer as a scalar.
Scalar scalar_of(std::uint64_t value);

/// scalar + addend - subtrahend, without wrapping past 256 bits.
Scalar shifted(Scalar scalar, int by);

/// left + right * factor modulo r, bit by bit: nothing in common with the code under test.
template <Curve C>
Scalar add_scaled(const Scalar& left, const Scalar& right, std::uint64_t factor);

/// The sum by double-and-add, a term at a time.
template <Curve C>
AffinePoint<C> sum_term_by_term(const std::vector<Scalar>& scalars, const std::vector<AffinePoint<C>>& points);

/// What (sum of scalars[i] * (i + 1)) * G is, for points (i + 1) * G.
template <Curve C>
AffinePoint<C> closed_form(const std::vector<Scalar>& scalars);

template <Curve C>
AffinePoint<C> run_msm(const std::vector<Scalar>& scalars, const std::vector<AffinePoint<C>>& points, const MsmConfig& config) {
    JacobianPoint<C> sum;
    msm<C>(std::span<const Scalar>(scalars), std::span<const AffinePoint<C>>(points), config, sum);
    return to_affine(sum);
}

}  // namespace cupool::test

#define CUPOOL_CURVES "[msm]", ((cupool::Curve C), C), cupool::Curve::bn254, cupool::Curve::bls12_381, cupool::Curve::bls12_377
/// With the groups G2.
#define CUPOOL_CURVES_AND_TWISTS CUPOOL_CURVES, cupool::Curve::bn254_g2, cupool::Curve::bls12_381_g2

/// Leaves a case of curve C to GPUs where is_slow().
#define CUPOOL_SKIP_IF_SLOW(C)                                                                               \
    do {                                                                                                     \
        if (is_slow<C>()) CUPOOL_SKIP("over this field the simulated driver takes too long; a GPU runs it"); \
    } while (false)
