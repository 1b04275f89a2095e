#pragma once

/// \file
/// Arithmetic of single points on the calling thread: what parsers, checks and tests need around an MSM.
///
/// All functions take and return standard (not Montgomery) form, call no driver, and are thread-safe.

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

/// Whether a coordinate (in a G2: each of its two coefficients) is below p.
template <Curve C>
bool is_reduced(const BaseFieldElement<C>& coordinate);

/// Whether a scalar is below r.
template <Curve C>
bool is_reduced_scalar(const Scalar& scalar);

/// Whether the coordinates are below p and the point is infinity or satisfies the equation of the curve.
template <Curve C>
bool is_on_curve(const AffinePoint<C>& point);

/// Whether the order of a point of the curve divides r. That holds for all points of the curve of
/// BN254, but not of its twist. \pre is_on_curve(point)
template <Curve C>
bool is_in_subgroup(const AffinePoint<C>& point);

/// The two points with this x coordinate, first the one with the smaller y (as an integer; in a G2
/// c1 is compared before c0); nullopt if x^3 + b is not a square or x is not reduced.
template <Curve C>
std::optional<std::array<AffinePoint<C>, 2>> points_with_x(const BaseFieldElement<C>& x);

/// The opposite point; infinity for infinity.
template <Curve C>
AffinePoint<C> negate(const AffinePoint<C>& point);

/// The sum, correct for every pair of points on the curve: equal, opposite, infinite, outside the subgroup.
template <Curve C>
AffinePoint<C> add(const AffinePoint<C>& left, const AffinePoint<C>& right);

/// scalar * point by double-and-add over all 256 bits of the scalar (not reduced modulo r, so correct outside the subgroup too).
template <Curve C>
AffinePoint<C> multiply(const AffinePoint<C>& point, const Scalar& scalar);

/// The same point in affine coordinates; takes a field inversion.
template <Curve C>
AffinePoint<C> to_affine(const JacobianPoint<C>& point);

/// The same point with z = 1; infinity has z = 0.
template <Curve C>
JacobianPoint<C> to_jacobian(const AffinePoint<C>& point);

/// The sum of a few Jacobian points, by which pools join the sums of their devices.
template <Curve C>
JacobianPoint<C> sum(std::span<const JacobianPoint<C>> points);

/// `count` points first * G, (first + 1) * G, ..., computed on all cores: inputs for tests and
/// benchmarks, whose MSM has a closed form.
template <Curve C>
std::vector<AffinePoint<C>> generator_multiples(std::uint64_t first, std::size_t count);

/// Converts whole arrays between standard and Montgomery form (R = 2^256, or 2^384 if p has 48 bytes), in place.
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

/// What is wrong with a point, in the order of the checks.
enum class PointFault { coordinate_not_reduced, not_on_curve, not_in_subgroup };

/// A point that fails a check of find_faulty_point(): its index, and which check.
struct FaultyPoint {
    std::size_t index;  ///< place in the array
    PointFault fault;   ///< the first check that fails
};

/// Checks points on all cores. \return the fault with the lowest index; nullopt if there is none
/// \param in_subgroup also check membership in the subgroup of order r
template <Curve C>
std::optional<FaultyPoint> find_faulty_point(std::span<const AffinePoint<C>> points, bool in_subgroup);

}  // namespace cupool
