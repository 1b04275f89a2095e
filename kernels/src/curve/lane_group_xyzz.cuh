#pragma once

/// \file
/// Points in XYZZ coordinates, each held by a lane group: four neighbouring lanes with a coordinate each. An addition is then four products
/// in sequence; a single lane needs fourteen. This serves the stages of an MSM that have few points left and are bound by latency.
///
/// Formulas are those of xyzz.hpp.

#include "curve/xyzz.hpp"
#include "field/device_field.cuh"
#include "msm/device/kernel_params.hpp"
#include "support/device.cuh"

namespace cupool::device {

using detail::lane_group_size;

/// The index of the calling thread's lane group in its block.
CUPOOL_DEVICE unsigned lane_group_index() { return thread_index() / lane_group_size; }
/// The same in all blocks along x.
CUPOOL_DEVICE unsigned global_lane_group_index() { return global_index() / lane_group_size; }

/// All four lanes of a group call its members together; other groups need not.
template <class Field>
class LaneGroupXyzz {
    enum Lane : unsigned { x, y, zz, zzz };

public:
    using Point = detail::Xyzz<Field>;

    CUPOOL_DEVICE static LaneGroupXyzz infinity() { return LaneGroupXyzz(Field::zero()); }
    CUPOOL_DEVICE static LaneGroupXyzz load(const Point& point) { return LaneGroupXyzz(reinterpret_cast<const Field*>(&point)[lane()]); }
    CUPOOL_DEVICE void store(Point& point) const { reinterpret_cast<Field*>(&point)[lane()] = own_; }

    /// Stores Jacobian coordinates: (x zz, y zzz, zz), which needs no square root for z.
    CUPOOL_DEVICE void store_jacobian(Field* target, bool in_montgomery_form) const {
        const Field product = own_ * across(own_);
        const Field coordinate = lane() == zz ? own_ : product;
        if (lane() != zzz) target[lane()] = in_montgomery_form ? coordinate : coordinate.from_montgomery_form();
    }

    CUPOOL_DEVICE bool is_infinity() const { return of_lane(own_.is_zero(), zz); }

    /// The point of the group whose lane numbers differ from this group's in the bit `distance`. All lanes of a warp call it together.
    CUPOOL_DEVICE LaneGroupXyzz of_group(unsigned distance) const {
        return LaneGroupXyzz(own_.with_each_limb([distance](std::uint32_t limb) { return shuffle_butterfly(all_lanes, limb, distance); }));
    }

    // Both are function calls: a module has them once, which keeps JIT compilation short.
    CUPOOL_DEVICE LaneGroupXyzz& operator+=(const LaneGroupXyzz& other) { return *this = call_sum(own_, other.own_, Vec4Numbers{}); }
    CUPOOL_DEVICE LaneGroupXyzz doubled() const { return call_double(own_, Vec4Numbers{}); }

private:
    LaneGroupXyzz() = default;
    CUPOOL_DEVICE explicit LaneGroupXyzz(const Field& own) : own_(own) {}

    /// Coordinates are passed as Vec4.
    using Vec4Numbers = Numbers<Field::vec4_count()>;
    template <int... I>
    CUPOOL_DEVICE static LaneGroupXyzz call_sum(const Field& left, const Field& right, NumberSequence<int, I...>) {
        return called_sum(left.vec4(I)..., right.vec4(I)...);
    }
    template <int... I>
    CUPOOL_DEVICE static LaneGroupXyzz call_double(const Field& own, NumberSequence<int, I...>) {
        return called_double(own.vec4(I)...);
    }
    template <class... Vec4s>
    __attribute__((device, noinline)) static LaneGroupXyzz called_sum(Vec4s... vec4s) {
        const Vec4 all[] = {vec4s...};
        constexpr int half = Field::vec4_count();
        LaneGroupXyzz left;
        LaneGroupXyzz right;
#pragma unroll
        for (int i = 0; i < half; ++i) {
            left.own_.set_vec4(i, all[i]);
            right.own_.set_vec4(i, all[i + half]);
        }
        return left.plus(right);
    }
    template <class... Vec4s>
    __attribute__((device, noinline)) static LaneGroupXyzz called_double(Vec4s... vec4s) {
        const Vec4 all[] = {vec4s...};
        LaneGroupXyzz point;
#pragma unroll
        for (int i = 0; i < Field::vec4_count(); ++i) point.own_.set_vec4(i, all[i]);
        return point.twice();
    }

    /// add-2008-s, with the first factors of both x and both y formed at once.
    CUPOOL_DEVICE LaneGroupXyzz plus(const LaneGroupXyzz& other) const {
        if (other.is_infinity()) return *this;
        if (is_infinity()) return other;
        const Field scaled = own_ * across(other.own_);      // U1, S1, U2, S2
        const Field difference = upper_minus_lower(scaled);  // P, R, P, R
        if (of_lane(difference.is_zero(), x)) {
            if (!of_lane(difference.is_zero(), y)) return infinity();
            return doubled();
        }
        const Field squares = (is_upper() ? own_ : difference) * (is_upper() ? other.own_ : difference);  // PP, RR, ZZ1 ZZ2, ZZZ1 ZZZ2
        const Field p = of_lane(difference, x);
        const Field u = of_lane(scaled, x);
        return finish(lane() == x ? u : lane() == y ? p : squares, squares, of_lane(scaled, y), difference);
    }

    /// dbl-2008-s-1.
    CUPOOL_DEVICE LaneGroupXyzz twice() const {
        const Field own_x = of_lane(own_, x);
        const Field own_y = of_lane(own_, y);
        const Field u = own_y.doubled();
        const Field first = lane() == x ? own_x : u;
        const Field squares = first * first;  // X^2, V, V, V
        const Field v = of_lane(squares, y);
        const Field x_squared = of_lane(squares, x);
        const Field m = x_squared.doubled() + x_squared;
        const Field second = (lane() == y ? m : lane() == x ? own_x : lane() == zz ? own_ : u) * (lane() == y ? m : v);  // S, M^2, V ZZ, W
        const Field s = of_lane(second, x);
        const Field sum_x = of_lane(second, y) - s.doubled();
        const Field w = of_lane(second, zzz);
        const Field third = (lane() == y ? m : lane() == x ? own_y : own_) * (lane() == y ? s - sum_x : w);  // W Y, M (S - X3), -, W ZZZ
        return joined(sum_x, third, second);
    }

    CUPOOL_DEVICE static unsigned lane() { return thread_index() % lane_group_size; }
    /// Whether this lane holds zz or zzz.
    CUPOOL_DEVICE static bool is_upper() { return lane() >= zz; }
    CUPOOL_DEVICE static std::uint32_t lanes_of_group() { return 0xfu << (thread_index() % warp_size / lane_group_size * lane_group_size); }

    CUPOOL_DEVICE static Field of_lane(const Field& value, Lane lane) {
        return value.with_each_limb([lane](std::uint32_t limb) { return shuffle_within(lanes_of_group(), limb, lane, lane_group_size); });
    }
    CUPOOL_DEVICE static bool of_lane(bool value, Lane lane) {
        return shuffle_within(lanes_of_group(), value ? 1 : 0, lane, lane_group_size) != 0;
    }
    /// The value of the lane two away: x and zz see each other, and so do y and zzz.
    CUPOOL_DEVICE static Field across(const Field& value) {
        return value.with_each_limb([](std::uint32_t limb) { return shuffle_butterfly(lanes_of_group(), limb, zz); });
    }
    /// The difference, in both lanes of each pair that see each other.
    CUPOOL_DEVICE static Field upper_minus_lower(const Field& value) {
        const Field other = across(value);
        return (is_upper() ? value : other) - (is_upper() ? other : value);
    }

    /// The end of an addition. \param factor  U1, P, ZZ1 ZZ2, ZZZ1 ZZZ2  \param squares  PP, RR, ...  \param s  S1  \param difference  R in
    /// y
    CUPOOL_DEVICE static LaneGroupXyzz finish(const Field& factor, const Field& squares, const Field& s, const Field& difference) {
        const Field cubes = factor * of_lane(squares, x);  // Q, PPP, ZZ3, -
        const Field q = of_lane(cubes, x);
        const Field ppp = of_lane(cubes, y);
        const Field sum_x = of_lane(squares, y) - ppp - q.doubled();
        const Field third = (lane() == x   ? s
                             : lane() == y ? difference
                                           : squares) *
                            (lane() == y ? q - sum_x : ppp);  // S1 PPP, R (Q - X3), -, ZZZ3
        return joined(sum_x, third, cubes);
    }

    /// The point whose y is that of `third` minus its x, and whose zz and zzz are those of `second` and `third`.
    CUPOOL_DEVICE static LaneGroupXyzz joined(const Field& sum_x, const Field& third, const Field& second) {
        const Field sum_y = third - of_lane(third, x);
        return LaneGroupXyzz(lane() == x ? sum_x : lane() == y ? sum_y : lane() == zz ? second : third);
    }

    Field own_;
};

/// The sum of the points of each `groups` neighbouring lane groups: a power of two, at most those of a warp. All threads of a warp call it
/// together.
template <class Field>
CUPOOL_DEVICE LaneGroupXyzz<Field> sum_over_lane_groups(LaneGroupXyzz<Field> own, unsigned groups) {
#pragma unroll 1
    for (unsigned distance = lane_group_size; distance < groups * lane_group_size; distance *= 2) own += own.of_group(distance);
    return own;
}

/// The sum of the points of all lane groups of the block, in its first warp. All threads call it together. `shared` has one point a warp.
template <unsigned BlockSize, class Field>
CUPOOL_DEVICE LaneGroupXyzz<Field> block_sum(LaneGroupXyzz<Field> own, detail::Xyzz<Field>* shared) {
    constexpr unsigned warps = BlockSize / warp_size;
    static_assert(warps <= warp_size / lane_group_size, "the first warp has a group for each warp's sum");
    own = sum_over_lane_groups(own, warp_size / lane_group_size);
    if (thread_index() % warp_size < lane_group_size) own.store(shared[warp_index()]);
    block_barrier();
    if (thread_index() < warp_size) {
        own = lane_group_index() < warps ? LaneGroupXyzz<Field>::load(shared[lane_group_index()]) : LaneGroupXyzz<Field>::infinity();
        own = sum_over_lane_groups(own, warp_size / lane_group_size);
    }
    return own;
}

}  // namespace cupool::device
