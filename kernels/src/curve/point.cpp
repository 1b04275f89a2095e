#include <cupool/kernels/point.hpp>

#include <atomic>
#include <thread>
#include <utility>

#include "curve/for_each_curve.hpp"
#include "curve/host_curve.hpp"
#include "curve/subgroup.hpp"
#include "field/square_root.hpp"
#include "support/parallel_for.hpp"

namespace cupool {

namespace detail {

namespace {

constexpr std::size_t points_a_block = 1024;

unsigned all_cores() { return std::max(1u, std::thread::hardware_concurrency()); }

template <Curve C>
HostXyzz<C> from_standard(const AffinePoint<C>& point) {
    return HostXyzz<C>::from(load(point, false));
}

template <Curve C>
AffinePoint<C> to_standard(const HostXyzz<C>& point) {
    return store_affine<C>(normalized(point), false);
}

template <Curve C>
HostBaseField<C> right_side_of_equation(const HostBaseField<C>& x) {
    return x.square() * x + curve_coefficient<C>();
}

template <Curve C>
std::optional<PointFault> fault_of(const AffinePoint<C>& point, bool in_subgroup) {
    if (!is_reduced<C>(point.x) || !is_reduced<C>(point.y)) return PointFault::coordinate_not_reduced;
    if (!is_on_curve(point)) return PointFault::not_on_curve;
    if (in_subgroup && !is_in_subgroup(point)) return PointFault::not_in_subgroup;
    return std::nullopt;
}

/// The affine forms of XYZZ points, at one inversion in all.
template <Curve C>
void store_all(std::span<const HostXyzz<C>> points, std::span<AffinePoint<C>> to) {
    std::vector<HostBaseField<C>> inverses;
    inverses.reserve(points.size());
    for (const HostXyzz<C>& point : points) inverses.push_back(point.is_infinity() ? HostBaseField<C>::one() : point.zzz);
    std::vector<HostBaseField<C>> scratch(points.size());
    invert_all<HostBaseField<C>>(inverses, scratch);
    for (std::size_t i = 0; i < points.size(); ++i) to[i] = store_affine<C>(normalized(points[i], inverses[i]), false);
}

template <Curve C>
void convert_points(std::span<AffinePoint<C>> points, bool from_montgomery_form) {
    parallel_for_blocks(points.size(), points_a_block, all_cores(), [&](std::size_t begin, std::size_t end) {
        for (AffinePoint<C>& point : points.subspan(begin, end - begin)) {
            point = store_affine<C>(load(point, from_montgomery_form), !from_montgomery_form);
        }
    });
}

template <class Convert>
void convert_scalars(std::span<Scalar> scalars, const Convert& convert) {
    parallel_for_blocks(scalars.size(), points_a_block, all_cores(), [&](std::size_t begin, std::size_t end) {
        for (Scalar& scalar : scalars.subspan(begin, end - begin)) scalar = convert(scalar);
    });
}

}  // namespace

}  // namespace detail

template <Curve C>
PrimeFieldElement<C> base_field_modulus() {
    return detail::HostPrimeField<C>::modulus;
}

template <Curve C>
Scalar group_order() {
    return detail::HostScalarField<C>::modulus;
}

template <Curve C>
AffinePoint<C> generator() {
    return {detail::to_limbs(detail::Parameters<C>::generator_x), detail::to_limbs(detail::Parameters<C>::generator_y)};
}

template <Curve C>
bool is_reduced(const BaseFieldElement<C>& coordinate) {
    const auto is_below_modulus = [](const PrimeFieldElement<C>& value) { return detail::is_less(value, base_field_modulus<C>()); };
    if constexpr (base_field_degree<C> == 2) {
        return is_below_modulus(coordinate.c0) && is_below_modulus(coordinate.c1);
    } else {
        return is_below_modulus(coordinate);
    }
}

template <Curve C>
bool is_reduced_scalar(const Scalar& scalar) {
    return detail::is_less(scalar, group_order<C>());
}

template <Curve C>
bool is_on_curve(const AffinePoint<C>& point) {
    if (!is_reduced<C>(point.x) || !is_reduced<C>(point.y)) return false;
    if (is_infinity(point)) return true;
    const auto [x, y] = detail::load(point, false);
    return y.square() == detail::right_side_of_equation<C>(x);
}

template <Curve C>
bool is_in_subgroup(const AffinePoint<C>& point) {
    return detail::is_in_subgroup<C>(detail::load(point, false));
}

template <Curve C>
std::optional<std::array<AffinePoint<C>, 2>> points_with_x(const BaseFieldElement<C>& x) {
    if (!is_reduced<C>(x)) return std::nullopt;
    const auto root = square_root(detail::right_side_of_equation<C>(detail::load<C>(x, false)));
    if (!root) return std::nullopt;
    std::array<AffinePoint<C>, 2> points = {{{x, detail::store(*root, false)}, {x, detail::store(root->negated(), false)}}};
    if (detail::is_less(points[1].y, points[0].y)) std::swap(points[0], points[1]);
    return points;
}

template <Curve C>
AffinePoint<C> negate(const AffinePoint<C>& point) {
    return detail::store_affine<C>(detail::load(point, false).negated(), false);
}

template <Curve C>
AffinePoint<C> add(const AffinePoint<C>& left, const AffinePoint<C>& right) {
    detail::HostXyzz<C> sum = detail::from_standard(left);
    sum += detail::load(right, false);
    return detail::to_standard<C>(sum);
}

template <Curve C>
AffinePoint<C> multiply(const AffinePoint<C>& point, const Scalar& scalar) {
    return detail::to_standard<C>(detail::multiply(detail::from_standard(point), scalar));
}

template <Curve C>
AffinePoint<C> to_affine(const JacobianPoint<C>& point) {
    return detail::to_standard<C>(detail::load(point, false));
}

template <Curve C>
JacobianPoint<C> to_jacobian(const AffinePoint<C>& point) {
    if (is_infinity(point)) return {};
    return {point.x, point.y, detail::store(detail::HostBaseField<C>::one(), false)};
}

template <Curve C>
JacobianPoint<C> sum(std::span<const JacobianPoint<C>> points) {
    detail::HostXyzz<C> total = detail::HostXyzz<C>::infinity();
    for (const JacobianPoint<C>& point : points) total += detail::load(point, false);
    return detail::store_jacobian<C>(total, false);
}

template <Curve C>
std::vector<AffinePoint<C>> generator_multiples(std::uint64_t first, std::size_t count) {
    std::vector<AffinePoint<C>> multiples(count);
    const detail::HostAffine<C> step = detail::load(generator<C>(), false);
    detail::parallel_for_blocks(count, detail::points_a_block, detail::all_cores(), [&](std::size_t begin, std::size_t end) {
        std::uint64_t carry = 0;
        Limbs<2> factor;
        factor.limbs[0] = detail::add_with_carry(first, begin, carry);
        factor.limbs[1] = carry;
        std::vector<detail::HostXyzz<C>> points(end - begin);
        points[0] = detail::multiply(detail::HostXyzz<C>::from(step), factor);
        for (std::size_t i = 1; i < points.size(); ++i) {
            points[i] = points[i - 1];
            points[i] += step;
        }
        detail::store_all<C>(points, std::span(multiples).subspan(begin, end - begin));
    });
    return multiples;
}

template <Curve C>
void points_to_montgomery_form(std::span<AffinePoint<C>> points) {
    detail::convert_points<C>(points, false);
}

template <Curve C>
void points_from_montgomery_form(std::span<AffinePoint<C>> points) {
    detail::convert_points<C>(points, true);
}

template <Curve C>
void scalars_to_montgomery_form(std::span<Scalar> scalars) {
    detail::convert_scalars(scalars, [](const Scalar& scalar) { return detail::HostScalarField<C>::from_standard(scalar).montgomery(); });
}

template <Curve C>
void scalars_from_montgomery_form(std::span<Scalar> scalars) {
    detail::convert_scalars(scalars, [](const Scalar& scalar) { return detail::HostScalarField<C>::from_montgomery(scalar).standard(); });
}

template <Curve C>
std::optional<FaultyPoint> find_faulty_point(std::span<const AffinePoint<C>> points, bool in_subgroup) {
    std::atomic<std::size_t> lowest{points.size()};
    detail::parallel_for_blocks(points.size(), detail::points_a_block, detail::all_cores(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && i < lowest; ++i) {
            if (!detail::fault_of(points[i], in_subgroup)) continue;
            std::size_t known = lowest;
            while (i < known && !lowest.compare_exchange_weak(known, i)) continue;
        }
    });
    if (lowest == points.size()) return std::nullopt;
    return FaultyPoint{lowest, *detail::fault_of(points[lowest], in_subgroup)};
}

#define CUPOOL_INSTANTIATE(C)                                                                           \
    template PrimeFieldElement<C> base_field_modulus<C>();                                              \
    template Scalar group_order<C>();                                                                   \
    template AffinePoint<C> generator<C>();                                                             \
    template bool is_reduced<C>(const BaseFieldElement<C>&);                                            \
    template bool is_reduced_scalar<C>(const Scalar&);                                                  \
    template bool is_on_curve<C>(const AffinePoint<C>&);                                                \
    template bool is_in_subgroup<C>(const AffinePoint<C>&);                                             \
    template std::optional<std::array<AffinePoint<C>, 2>> points_with_x<C>(const BaseFieldElement<C>&); \
    template AffinePoint<C> negate<C>(const AffinePoint<C>&);                                           \
    template AffinePoint<C> add<C>(const AffinePoint<C>&, const AffinePoint<C>&);                       \
    template AffinePoint<C> multiply<C>(const AffinePoint<C>&, const Scalar&);                          \
    template AffinePoint<C> to_affine<C>(const JacobianPoint<C>&);                                      \
    template JacobianPoint<C> to_jacobian<C>(const AffinePoint<C>&);                                    \
    template JacobianPoint<C> sum<C>(std::span<const JacobianPoint<C>>);                                \
    template std::vector<AffinePoint<C>> generator_multiples<C>(std::uint64_t, std::size_t);            \
    template void points_to_montgomery_form<C>(std::span<AffinePoint<C>>);                              \
    template void points_from_montgomery_form<C>(std::span<AffinePoint<C>>);                            \
    template void scalars_to_montgomery_form<C>(std::span<Scalar>);                                     \
    template void scalars_from_montgomery_form<C>(std::span<Scalar>);                                   \
    template std::optional<FaultyPoint> find_faulty_point<C>(std::span<const AffinePoint<C>>, bool in_subgroup);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
