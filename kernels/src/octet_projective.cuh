#pragma once

/// \file
/// Points in projective coordinates held by eight neighbouring lanes, an octet. An addition is two products one after the other, where a
/// quad (quad_xyzz.cuh) needs four, and asks for no special cases: for the steps of an MSM that have few points left and wait for each
/// sum.
///
/// By the complete formulas of Renes, Costello and Batina, "Complete addition formulas for prime order elliptic curves" (Eurocrypt 2016),
/// algorithm 7, for a = 0. The sum is right of any two points whose difference is not of order two: of equal, opposite and infinite ones,
/// too. Where it is of order two, which takes points outside the group of order r, all three coordinates come out as zero.

#include "device.cuh"
#include "device_field.cuh"
#include "device_quadratic.cuh"
#include "msm_layout.hpp"
#include "xyzz.hpp"

namespace cupool::device {

using detail::octet_size;

/// The number of the calling thread's octet in its block.
CUPOOL_DEVICE unsigned octet_index() { return thread_index() / octet_size; }
inline constexpr unsigned octets_of_warp = warp_size / octet_size;
/// In the grid's row of blocks.
CUPOOL_DEVICE unsigned global_octet_index() { return global_index() / octet_size; }

/// All lanes of a warp call its members together, which shuffles take for a third of the time that they take among some lanes alone.
template <class Curve, class Field>
class OctetProjective {
    /// What a lane holds of a point: a coordinate, or a sum of two, with which the products of all pairs of coordinates are formed at once
    /// (Karatsuba). Two lanes are idle.
    enum Lane : unsigned { x, y, z, xy, yz, xz };

public:
    using Point = detail::Projective<Field>;

    CUPOOL_DEVICE static OctetProjective infinity() {
        const bool has_y = lane() == y || lane() == xy || lane() == yz;
        return OctetProjective(has_y ? Field::one() : Field::zero());
    }
    CUPOOL_DEVICE static OctetProjective load(const Point& point) {
        const Field* const coordinates = reinterpret_cast<const Field*>(&point);
        const Field first = coordinates[first_summand()];
        return OctetProjective(is_sum() ? first + coordinates[second_summand()] : first);
    }
    /// \param point  null for infinity
    CUPOOL_DEVICE static OctetProjective load(const detail::Xyzz<Field>* point) {
        const Field* const coordinates = reinterpret_cast<const Field*>(point);
        return of_xyzz(point == nullptr ? Field::zero() : coordinates[own_number(0, 1, 2)],
                       point == nullptr ? Field::zero() : coordinates[own_number(3, 2, 3)]);
    }
    CUPOOL_DEVICE void store(Point& point) const {
        if (!is_sum()) reinterpret_cast<Field*>(&point)[lane()] = own_;
    }

    /// In Jacobian coordinates, x, y and z one after the other: (x z, y z^2, z). Only if `is_stored`.
    CUPOOL_DEVICE void store_jacobian(Field* target, bool in_montgomery_form, bool is_stored) const {
        const Field own_z = of_lane(own_, z);
        const Field by_z = (lane() == x ? own_ : own_z) * own_z;
        const Field by_square = own_ * by_z;
        const Field coordinate = lane() == x ? by_z : lane() == y ? by_square : own_;
        if (is_stored && !is_sum()) target[lane()] = in_montgomery_form ? coordinate : coordinate.from_montgomery_form();
    }

    CUPOOL_DEVICE OctetProjective& operator+=(const OctetProjective& other) {
        return *this = call_sum(own_, other.own_, Numbers<Field::quad_count()>{});
    }
    CUPOOL_DEVICE OctetProjective doubled() const {
        OctetProjective sum = *this;
        return sum += *this;
    }

private:
    struct Operands;

    OctetProjective() = default;
    CUPOOL_DEVICE explicit OctetProjective(const Field& own) : own_(own) {}

    // By calls, so that each stands once in a module, which keeps the driver's JIT time low. Coordinates travel in quads of limbs: see Words4.
    template <int... I>
    CUPOOL_DEVICE static OctetProjective call_sum(const Field& left, const Field& right, NumberSequence<int, I...>) {
        const OctetProjective sum = called_sum(left.quad(I)..., right.quad(I)...);
        if constexpr (requires { Curve::has_points_of_order_two; }) {
            if (any_lane(sum.is_nothing())) {
                const OctetProjective other_sum = called_xyzz_sum(left.quad(I)..., right.quad(I)...);
                if (sum.is_nothing()) return other_sum;
            }
        }
        return sum;
    }
    template <class... Quads>
    __attribute__((device, noinline)) static OctetProjective called_sum(Quads... quads) {
        const Operands points(quads...);
        return points.left.plus(points.right);
    }
    template <class... Quads>
    __attribute__((device, noinline)) static OctetProjective called_xyzz_sum(Quads... quads) {
        const Operands points(quads...);
        return points.left.by_xyzz(points.right);
    }


    CUPOOL_DEVICE OctetProjective plus(const OctetProjective& other) const {
        const Field product = own_ * other.own_;  // X1 X2, Y1 Y2, Z1 Z2, (X1 + Y1) (X2 + Y2), ...
        const Field first = of_lane(product, own_number(x, z, y, x, y, x));
        const Field second = of_lane(product, own_number(x, z, y, y, z, z));
        // 3 X1 X2, -, -, X1 Y2 + X2 Y1, Y1 Z2 + Y2 Z1, X1 Z2 + X2 Z1
        const Field cross = Field::sum_or_difference(product, first + second, lane() != x);
        const Field scaled = times_three_b(lane() == xz ? cross : lane() == z ? product : first);
        // Y1 Y2 less, and with, 3b Z1 Z2
        const Field shifted = Field::sum_or_difference(lane() == y ? product : first, scaled, lane() == y);
        const Field factor = lane() == y || lane() == z ? shifted : lane() == xz ? scaled : cross;
        const Field summand = of_lane(factor, own_number(xy, y, z, yz, x, x)) * of_lane(factor, own_number(y, z, yz, xz, xz, xy));
        const Field sum = Field::sum_or_difference(summand, of_lane(summand, own_number(xy, yz, xz)), lane() == x);
        return of_coordinates(sum);
    }

    /// Whether all coordinates are zero, which is no point.
    CUPOOL_DEVICE bool is_nothing() const {
        const bool is_zero = own_.is_zero();
        const bool has_zero_x = of_lane(is_zero, x);  // each asked for by all lanes
        const bool has_zero_y = of_lane(is_zero, y);
        const bool has_zero_z = of_lane(is_zero, z);
        return has_zero_x && has_zero_y && has_zero_z;
    }

    /// The sum of any two points, by formulas that tell all cases apart; the same in each lane.
    CUPOOL_DEVICE OctetProjective by_xyzz(const OctetProjective& other) const {
        using Xyzz = detail::Xyzz<Field>;
        Xyzz sum = Xyzz::from(point());
        sum += Xyzz::from(other.point());
        const Field left = lane() == x ? sum.x : lane() == y ? sum.y : sum.zz;
        return of_xyzz(left, lane() == y ? sum.zz : sum.zzz);
    }
    CUPOOL_DEVICE Point point() const { return {of_lane(own_, x), of_lane(own_, y), of_lane(own_, z)}; }

    /// 3b times the value, where b is the curve's.
    CUPOOL_DEVICE static Field times_three_b(const Field& value) {
        if constexpr (requires { Curve::b.c0; }) {
            const Field product = value * Field::template constant<Curve::b>();
            return product.doubled() + product;
        } else {
            return multiple<3 * Curve::b>(value);
        }
    }
    template <std::uint64_t factor>
    CUPOOL_DEVICE static Field multiple(const Field& value) {
        if constexpr (factor == 1) {
            return value;
        } else if constexpr (factor % 2 == 0) {
            return multiple<factor / 2>(value).doubled();
        } else {
            static_assert(factor % 3 == 0);
            const Field third = multiple<factor / 3>(value);
            return third.doubled() + third;
        }
    }

    /// Of coordinates in their lanes.
    CUPOOL_DEVICE static OctetProjective of_coordinates(const Field& coordinate) {
        const Field first = of_lane(coordinate, first_summand());
        const Field sum = first + of_lane(coordinate, second_summand());
        return OctetProjective(is_sum() ? sum : first);
    }
    /// (x / zz, y / zzz) is (x zzz, y zz, zz zzz). \param left  x, y, zz  \param right  zzz, zz, zzz
    CUPOOL_DEVICE static OctetProjective of_xyzz(const Field& left, const Field& right) {
        const bool is_y_of_infinity = lane() == y && right.is_zero();
        const Field product = left * right;
        return of_coordinates(is_y_of_infinity ? Field::one() : product);
    }

    CUPOOL_DEVICE static unsigned lane() { return thread_index() % octet_size; }
    CUPOOL_DEVICE static bool is_sum() { return lane() > z; }
    CUPOOL_DEVICE static unsigned first_summand() { return own_number(x, y, z, x, y, x); }
    CUPOOL_DEVICE static unsigned second_summand() { return own_number(x, y, z, y, z, z); }

    /// That of the numbers which stands at the place of the calling lane; where there is none, 0.
    template <class... Number>
    CUPOOL_DEVICE static unsigned own_number(Number... numbers) {
        constexpr unsigned bits = 4;
        std::uint32_t all = 0;
        unsigned place = 0;
        ((all |= static_cast<std::uint32_t>(numbers) << bits * place++), ...);
        return all >> bits * lane() & ((1u << bits) - 1);
    }
    CUPOOL_DEVICE static Field of_lane(const Field& value, unsigned lane) {
        return value.with_each_limb([lane](std::uint32_t limb) { return shuffle_within(all_lanes, limb, lane, octet_size); });
    }

    CUPOOL_DEVICE static bool of_lane(bool value, unsigned lane) { return shuffle_within(all_lanes, value ? 1 : 0, lane, octet_size) != 0; }

    Field own_;
};

/// Both operands of an addition.
template <class Curve, class Field>
struct OctetProjective<Curve, Field>::Operands {
    OctetProjective left;
    OctetProjective right;

    template <class... Quads>
    CUPOOL_DEVICE explicit Operands(Quads... quads) {
        const Words4 all[] = {quads...};
        constexpr int half = Field::quad_count();
#pragma unroll
        for (int i = 0; i < half; ++i) {
            left.own_.set_quad(i, all[i]);
            right.own_.set_quad(i, all[i + half]);
        }
    }
};

}  // namespace cupool::device
