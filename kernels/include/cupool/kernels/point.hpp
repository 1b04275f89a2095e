#pragma once

/// \file
/// Single points, computed on the calling thread: what parsers, checks and tests need around an MSM.
///
/// Everything here takes and gives standard (not Montgomery) form, calls no driver, and is safe from any thread.

#include <cupool/kernels/curve.hpp>
#include <optional>
#include <span>
#include <vector>

namespace cupool {

/// The modulus p of the prime field.
template <Curve C>
PrimeFieldElement<C> base_field_modulus();

/// The order r of the group.
template <Curve C>
Scalar group_order();

/// The generator of the group that the curve's standard names.
template <Curve C>
AffinePoint<C> generator();

/// The point at infinity, the sum of no points: (0, 0), which lies on none of the curves.
template <Curve C>
AffinePoint<C> infinity() {
    return {};
}

/// Whether the point is infinity().
template <Curve C>
bool is_infinity(const AffinePoint<C>& point) {
    return point == AffinePoint<C>{};
}

/// Whether a coordinate, or each half of it in a group G2, is below p.
template <Curve C>
bool is_reduced(const BaseFieldElement<C>& coordinate);

/// Whether a scalar is below r.
template <Curve C>
bool is_reduced_scalar(const Scalar& scalar);

/// Whether the point's coordinates are below p and it is infinity or satisfies the curve's equation.
template <Curve C>
bool is_on_curve(const AffinePoint<C>& point);

/// Whether a point of the curve has order dividing r. Every point of BN254's curve has, but not of its twist.
/// \pre is_on_curve(point)
template <Curve C>
bool is_in_subgroup(const AffinePoint<C>& point);

/// The two points with that x coordinate, the one with the smaller y (as an integer; c1 before c0 in a group G2) first; nothing where
/// x^3 + b is no square or x is not reduced.
template <Curve C>
std::optional<std::array<AffinePoint<C>, 2>> points_with_x(const BaseFieldElement<C>& x);

/// The opposite point; infinity is its own.
template <Curve C>
AffinePoint<C> negate(const AffinePoint<C>& point);

/// The sum, right for every pair of points on the curve: equal, opposite, infinite, outside the subgroup.
template <Curve C>
AffinePoint<C> add(const AffinePoint<C>& left, const AffinePoint<C>& right);

/// scalar * point by double-and-add over the scalar's 256 bits as they are (not taken modulo r, so right outside the subgroup too).
template <Curve C>
AffinePoint<C> multiply(const AffinePoint<C>& point, const Scalar& scalar);

/// The same point in affine coordinates, at the price of a field inversion.
template <Curve C>
AffinePoint<C> to_affine(const JacobianPoint<C>& point);

/// The same point with z = 1; infinity has z = 0.
template <Curve C>
JacobianPoint<C> to_jacobian(const AffinePoint<C>& point);

/// The sum of a few Jacobian points, as pools need it to join their shards.
template <Curve C>
JacobianPoint<C> sum(std::span<const JacobianPoint<C>> points);

/// The points first * G, (first + 1) * G, ... (count of them), on all cores: the inputs of tests and benchmarks, whose MSM has a closed
/// form.
template <Curve C>
std::vector<AffinePoint<C>> generator_multiples(std::uint64_t first, std::size_t count);

/// Conversions of whole arrays between standard and Montgomery form (R = 2^256, or 2^384 where p has 48 bytes), in place.
template <Curve C>
void points_to_montgomery_form(std::span<AffinePoint<C>> points);
/// See points_to_montgomery_form().
template <Curve C>
void points_from_montgomery_form(std::span<AffinePoint<C>> points);
/// See points_to_montgomery_form(); the modulus is r, and R is 2^256.
template <Curve C>
void scalars_to_montgomery_form(std::span<Scalar> scalars);
/// See scalars_to_montgomery_form().
template <Curve C>
void scalars_from_montgomery_form(std::span<Scalar> scalars);

/// What is wrong with a point, in the order in which it is asked.
enum class PointFault { coordinate_not_reduced, not_on_curve, not_in_subgroup };

/// A point that find_faulty_point() refused: its index, and why.
struct FaultyPoint {
    std::size_t index;  ///< place in the array
    PointFault fault;   ///< the first check that it fails
};

/// Checks points on all cores. \return the fault with the lowest index, or nothing when all are good.
/// \param in_subgroup  also ask for membership in the subgroup of order r
template <Curve C>
std::optional<FaultyPoint> find_faulty_point(std::span<const AffinePoint<C>> points, bool in_subgroup);

}  // namespace cupool
