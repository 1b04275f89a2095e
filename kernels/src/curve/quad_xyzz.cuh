#pragma once

/// \file
/// Points in XYZZ coordinates held by four neighbouring lanes, a quad: one coordinate each. An addition is then four products one after the
/// other where a single lane needs fourteen. For the steps of an MSM that have few points left and wait for products, not for multipliers.
///
/// Formulas as in xyzz.hpp.

#include "support/device.cuh"
#include "field/device_field.cuh"
#include "msm/device/kernel_params.hpp"
#include "curve/xyzz.hpp"

namespace cupool::device {

using detail::quad_size;

/// The number of the calling thread's quad in its block.
CUPOOL_DEVICE unsigned quad_index() { return thread_index() / quad_size; }
/// In the grid's row of blocks.
CUPOOL_DEVICE unsigned global_quad_index() { return global_index() / quad_size; }

/// All four lanes of a quad call its members together, and other quads need not.
template <class Field>
class QuadXyzz {
    enum Lane : unsigned { x, y, zz, zzz };

public:
    using Point = detail::Xyzz<Field>;

    CUPOOL_DEVICE static QuadXyzz infinity() { return QuadXyzz(Field::zero()); }
    CUPOOL_DEVICE static QuadXyzz load(const Point& point) { return QuadXyzz(reinterpret_cast<const Field*>(&point)[lane()]); }
    CUPOOL_DEVICE void store(Point& point) const { reinterpret_cast<Field*>(&point)[lane()] = own_; }

    /// In Jacobian coordinates, x, y and z one after the other: (x zz, y zzz, zz), which saves finding z.
    CUPOOL_DEVICE void store_jacobian(Field* target, bool in_montgomery_form) const {
        const Field product = own_ * across(own_);
        const Field coordinate = lane() == zz ? own_ : product;
        if (lane() != zzz) target[lane()] = in_montgomery_form ? coordinate : coordinate.from_montgomery_form();
    }

    CUPOOL_DEVICE bool is_infinity() const { return of_lane(own_.is_zero(), zz); }

    /// The point of the quad whose lanes' numbers differ from this one's in the bit `distance`. For all lanes of a warp together.
    CUPOOL_DEVICE QuadXyzz of_quad(unsigned distance) const {
        return QuadXyzz(own_.with_each_limb([distance](std::uint32_t limb) { return shuffle_butterfly(all_lanes, limb, distance); }));
    }

    // Both by a call: they stand once in a module, which keeps the driver's JIT time low.
    CUPOOL_DEVICE QuadXyzz& operator+=(const QuadXyzz& other) { return *this = call_sum(own_, other.own_, QuadNumbers{}); }
    CUPOOL_DEVICE QuadXyzz doubled() const { return call_double(own_, QuadNumbers{}); }

private:
    QuadXyzz() = default;
    CUPOOL_DEVICE explicit QuadXyzz(const Field& own) : own_(own) {}

    /// The coordinates travel in quads of limbs: see Words4.
    using QuadNumbers = Numbers<Field::quad_count()>;
    template <int... I>
    CUPOOL_DEVICE static QuadXyzz call_sum(const Field& left, const Field& right, NumberSequence<int, I...>) {
        return called_sum(left.quad(I)..., right.quad(I)...);
    }
    template <int... I>
    CUPOOL_DEVICE static QuadXyzz call_double(const Field& own, NumberSequence<int, I...>) {
        return called_double(own.quad(I)...);
    }
    template <class... Quads>
    __attribute__((device, noinline)) static QuadXyzz called_sum(Quads... quads) {
        const Words4 all[] = {quads...};
        constexpr int half = Field::quad_count();
        QuadXyzz left;
        QuadXyzz right;
#pragma unroll
        for (int i = 0; i < half; ++i) {
            left.own_.set_quad(i, all[i]);
            right.own_.set_quad(i, all[i + half]);
        }
        return left.plus(right);
    }
    template <class... Quads>
    __attribute__((device, noinline)) static QuadXyzz called_double(Quads... quads) {
        const Words4 all[] = {quads...};
        QuadXyzz point;
#pragma unroll
        for (int i = 0; i < Field::quad_count(); ++i) point.own_.set_quad(i, all[i]);
        return point.twice();
    }

    /// add-2008-s, the first factors of both x and both y formed at once.
    CUPOOL_DEVICE QuadXyzz plus(const QuadXyzz& other) const {
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
    CUPOOL_DEVICE QuadXyzz twice() const {
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

    CUPOOL_DEVICE static unsigned lane() { return thread_index() % quad_size; }
    /// Whether this lane holds zz or zzz.
    CUPOOL_DEVICE static bool is_upper() { return lane() >= zz; }
    CUPOOL_DEVICE static std::uint32_t lanes_of_quad() { return 0xfu << (thread_index() % warp_size / quad_size * quad_size); }

    CUPOOL_DEVICE static Field of_lane(const Field& value, Lane lane) {
        return value.with_each_limb([lane](std::uint32_t limb) { return shuffle_within(lanes_of_quad(), limb, lane, quad_size); });
    }
    CUPOOL_DEVICE static bool of_lane(bool value, Lane lane) {
        return shuffle_within(lanes_of_quad(), value ? 1 : 0, lane, quad_size) != 0;
    }
    /// The value of the lane two further: x and zz, y and zzz see each other.
    CUPOOL_DEVICE static Field across(const Field& value) {
        return value.with_each_limb([](std::uint32_t limb) { return shuffle_butterfly(lanes_of_quad(), limb, zz); });
    }
    /// In both lanes of each pair that see each other.
    CUPOOL_DEVICE static Field upper_minus_lower(const Field& value) {
        const Field other = across(value);
        return (is_upper() ? value : other) - (is_upper() ? other : value);
    }

    /// What is left of an addition. \param factor  U1, P, ZZ1 ZZ2, ZZZ1 ZZZ2  \param squares  PP, RR, ...  \param s  S1  \param difference
    /// R in y
    CUPOOL_DEVICE static QuadXyzz finish(const Field& factor, const Field& squares, const Field& s, const Field& difference) {
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

    /// The sum whose y is third of y less third of x, and whose zz and zzz are those of `second` and `third`.
    CUPOOL_DEVICE static QuadXyzz joined(const Field& sum_x, const Field& third, const Field& second) {
        const Field sum_y = third - of_lane(third, x);
        return QuadXyzz(lane() == x ? sum_x : lane() == y ? sum_y : lane() == zz ? second : third);
    }

    Field own_;
};

/// The sum of one point a quad over each `quads` neighbours, a power of two up to those of a warp; for all threads of a warp together.
template <class Field>
CUPOOL_DEVICE QuadXyzz<Field> sum_over_quads(QuadXyzz<Field> own, unsigned quads) {
#pragma unroll 1
    for (unsigned distance = quad_size; distance < quads * quad_size; distance *= 2) own += own.of_quad(distance);
    return own;
}

/// The sum of one point a quad over the block, for all its threads together; right in the first warp. `shared` has one point a warp.
template <unsigned BlockSize, class Field>
CUPOOL_DEVICE QuadXyzz<Field> block_sum(QuadXyzz<Field> own, detail::Xyzz<Field>* shared) {
    constexpr unsigned warps = BlockSize / warp_size;
    static_assert(warps <= warp_size / quad_size, "the first warp has a quad for each warp's sum");
    own = sum_over_quads(own, warp_size / quad_size);
    if (thread_index() % warp_size < quad_size) own.store(shared[warp_index()]);
    block_barrier();
    if (thread_index() < warp_size) {
        own = quad_index() < warps ? QuadXyzz<Field>::load(shared[quad_index()]) : QuadXyzz<Field>::infinity();
        own = sum_over_quads(own, warp_size / quad_size);
    }
    return own;
}

}  // namespace cupool::device
