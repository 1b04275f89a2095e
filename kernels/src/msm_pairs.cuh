#pragma once

/// \file
/// A round of pairwise addition: neighbouring points of a bucket are added in affine coordinates, which halves their number. An affine
/// addition costs 5M + 1S and an inversion; a block shares one inversion a lane among all its pairs (Montgomery, "Speeding the Pollard and
/// elliptic curve methods of factorization", Math. Comp. 48, 1987). Every bucket has a multiple of 2^rounds slots, so that pairs never
/// straddle two buckets and no thread needs to know which it works on.

#include "device_inverse.cuh"
#include "msm_sort.cuh"
#include "warp_gather.cuh"
#include "xyzz.hpp"

namespace cupool::device {

using detail::no_term;
using detail::pair_block_size;

template <class Field>
struct TwoFields {
    Field left;
    Field right;
};
template <class Affine>
struct TwoPoints {
    Affine left;
    Affine right;
};

/// Points that slots name, in the slots' order. A PairName is what must be read before a pair's points can be: it is asked for early. Points
/// lie anywhere, so that a warp reads them together.
template <class Affine>
class SlotPoints {
    static constexpr int field_quads = sizeof(decltype(Affine::x)) / sizeof(Words4);
    using GatherX = WarpGather<field_quads>;
    using GatherPoint = WarpGather<2 * field_quads>;

public:
    using Field = decltype(Affine::x);
    struct alignas(8) PairName {
        std::uint32_t left;
        std::uint32_t right;
    };
    struct AskedX {
        typename GatherX::Flight left;
        typename GatherX::Flight right;
    };

    /// Shared memory that a warp reads through.
    static constexpr unsigned quads_of_a_warp = GatherPoint::shared_quads;

    CUPOOL_DEVICE SlotPoints(const MsmPlan& plan, std::uint32_t row, Words4* shared)
        : slots_(plan.slots + std::uint64_t{row} * plan.slot_count),
          points_(static_cast<const Affine*>(plan.points)),
          shared_(shared + warp_index() * quads_of_a_warp) {}

    CUPOOL_DEVICE Affine operator[](std::uint32_t i) const { return point(slots_[i]); }
    CUPOOL_DEVICE PairName name(std::uint32_t pair) const { return reinterpret_cast<const PairName*>(slots_)[pair]; }

    /// For all lanes of a warp together: asks for the x coordinates of a pair.
    CUPOOL_DEVICE AskedX ask_x(const PairName& name) const {
        return {GatherX::ask(quads(), 2 * field_quads, index(name.left)), GatherX::ask(quads(), 2 * field_quads, index(name.right))};
    }
    /// What was asked for; zero for a slot without a term.
    CUPOOL_DEVICE TwoFields<Field> x(const PairName& name, const AskedX& asked) const {
        return {x(name.left, asked.left), x(name.right, asked.right)};
    }
    /// For all lanes of a warp together.
    CUPOOL_DEVICE TwoPoints<Affine> points(const PairName& name) const {
        const auto left = GatherPoint::ask(quads(), 2 * field_quads, index(name.left));
        const auto right = GatherPoint::ask(quads(), 2 * field_quads, index(name.right));
        return {point(name.left, left), point(name.right, right)};
    }
    /// The same for one lane alone.
    CUPOOL_DEVICE TwoPoints<Affine> own_points(const PairName& name) const { return {point(name.left), point(name.right)}; }

private:
    CUPOOL_DEVICE const Words4* quads() const { return reinterpret_cast<const Words4*>(points_); }
    /// That of any point, where a slot names none.
    CUPOOL_DEVICE static std::uint32_t index(std::uint32_t slot) { return slot == no_term ? 0 : slot & ~sign_bit; }

    CUPOOL_DEVICE Affine point(std::uint32_t slot) const {
        if (slot == no_term) return {Field::zero(), Field::zero()};
        return signed_point(slot, points_[slot & ~sign_bit]);
    }
    CUPOOL_DEVICE Affine point(std::uint32_t slot, const typename GatherPoint::Flight& flight) const {
        Words4 record[2 * field_quads];
        GatherPoint::receive(flight, shared_, record);
        if (slot == no_term) return {Field::zero(), Field::zero()};
        Affine point;
#pragma unroll
        for (int i = 0; i < field_quads; ++i) {
            point.x.set_quad(i, record[i]);
            point.y.set_quad(i, record[field_quads + i]);
        }
        return signed_point(slot, point);
    }
    CUPOOL_DEVICE Field x(std::uint32_t slot, const typename GatherX::Flight& flight) const {
        Words4 record[field_quads];
        GatherX::receive(flight, shared_, record);
        if (slot == no_term) return Field::zero();
        Field x;
#pragma unroll
        for (int i = 0; i < field_quads; ++i) x.set_quad(i, record[i]);
        return x;
    }
    CUPOOL_DEVICE static Affine signed_point(std::uint32_t slot, const Affine& point) {
        return {point.x, point.y.negated_if((slot & sign_bit) != 0)};
    }

    const std::uint32_t* slots_;
    const Affine* points_;
    Words4* shared_;
};

/// A row of points that a round writes and the next one reads: all x coordinates, then all y coordinates, since half of the reads want x
/// alone.
template <class Affine>
class PointRow {
public:
    using Field = decltype(Affine::x);
    using PairName = std::uint32_t;
    using AskedX = TwoFields<Field>;

    CUPOOL_DEVICE PointRow(void* coordinates, std::uint32_t size) : x_(static_cast<Field*>(coordinates)), y_(x_ + size) {}

    CUPOOL_DEVICE Affine operator[](std::uint32_t i) const { return {x_[i], y_[i]}; }
    CUPOOL_DEVICE PairName name(std::uint32_t pair) const { return pair; }
    CUPOOL_DEVICE AskedX ask_x(PairName pair) const { return {x_[2 * pair], x_[2 * pair + 1]}; }
    CUPOOL_DEVICE TwoFields<Field> x(PairName, const AskedX& asked) const { return asked; }
    CUPOOL_DEVICE TwoPoints<Affine> points(PairName pair) const { return {(*this)[2 * pair], (*this)[2 * pair + 1]}; }
    CUPOOL_DEVICE TwoPoints<Affine> own_points(PairName pair) const { return points(pair); }
    CUPOOL_DEVICE void store(std::uint32_t i, const Affine& point) const {
        x_[i] = point.x;
        y_[i] = point.y;
    }

private:
    Field* x_;
    Field* y_;
};

/// How two points are added.
enum class PairSum { chord, tangent, left, right, infinity };

template <class Affine>
CUPOOL_DEVICE PairSum classify(const TwoPoints<Affine>& points) {
    const Affine& left = points.left;
    const Affine& right = points.right;
    if (left.is_infinity()) return PairSum::right;
    if (right.is_infinity()) return PairSum::left;
    if (!(right.x - left.x).is_zero()) return PairSum::chord;
    return (right.y - left.y).is_zero() && !left.y.is_zero() ? PairSum::tangent : PairSum::infinity;
}

/// Whether a pair may be other than two distinct points with different x: a point at infinity has x = 0. The lowest limbs tell; that they
/// are zero by chance costs nothing but time, and that never.
template <class Field>
CUPOOL_DEVICE bool may_be_special(const TwoFields<Field>& x, const Field& difference) {
    return difference.may_be_zero() || x.left.limbs[0] == 0 || x.right.limbs[0] == 0;
}

/// The slope of the line that adds two points, as a fraction, and which of the cases it is.
template <class Affine>
struct Slope {
    using Field = decltype(Affine::x);

    PairSum sum;
    Field numerator;
    Field denominator;  ///< never zero; one where the sum needs no slope

    CUPOOL_DEVICE static Slope of(const TwoPoints<Affine>& points) {
        Slope slope{PairSum::chord, points.right.y - points.left.y, points.right.x - points.left.x};
        if (may_be_special({points.left.x, points.right.x}, slope.denominator)) {
            slope.sum = classify(points);
            slope.denominator = denominator_of(slope.sum, points);
            if (slope.sum == PairSum::tangent) {
                const Field x_squared = Field::called_product(points.left.x, points.left.x);
                slope.numerator = x_squared.doubled() + x_squared;
            }
        }
        return slope;
    }

    CUPOOL_DEVICE static Field denominator_of(PairSum sum, const TwoPoints<Affine>& points) {
        if (sum == PairSum::chord) return points.right.x - points.left.x;
        return sum == PairSum::tangent ? points.left.y.doubled() : Field::one();
    }

    /// The sum, given the inverse of the denominator.
    CUPOOL_DEVICE Affine apply(const TwoPoints<Affine>& points, const Field& inverse) const {
        if (sum == PairSum::left) return points.left;
        if (sum == PairSum::right) return points.right;
        if (sum == PairSum::infinity) return {Field::zero(), Field::zero()};
        const Field slope = numerator * inverse;
        const Field x = slope.square() - points.left.x - points.right.x;
        return {x, slope * (points.left.x - x) - points.left.y};
    }
};

/// Replaces each thread's value by its inverse; no value is zero. The first warp inverts for the whole block. `shared` has one element a
/// thread.
template <class Parameters>
CUPOOL_DEVICE void invert_over_block(DeviceField<Parameters>& value, DeviceField<Parameters>* shared) {
    using Field = DeviceField<Parameters>;
    constexpr int warps = pair_block_size / warp_size;
    shared[thread_index()] = value;
    block_barrier();
    if (thread_index() < warp_size) {
        Field* const column = shared + thread_index();
        Field products[warps];  // products[i]: of the first i + 1 values of the column
        products[0] = column[0];
#pragma unroll
        for (int i = 1; i < warps; ++i) products[i] = products[i - 1] * column[i * warp_size];
        Field inverse = DeviceInverse<Parameters>::of(products[warps - 1]);
#pragma unroll
        for (int i = warps - 1; i > 0; --i) {
            const Field own = column[i * warp_size];
            column[i * warp_size] = inverse * products[i - 1];
            inverse = inverse * own;
        }
        column[0] = inverse;
    }
    block_barrier();
    value = shared[thread_index()];
}

/// sums[i] = the sum of pair number i, for all i below pair_count. A block takes pair_block_size * pairs_a_thread neighbouring pairs.
///
/// The first pass asks for what the next pair needs before it works on its own, since a product is too short to hide a read from memory.
template <class Parameters, class Affine, class Pairs>
CUPOOL_DEVICE void add_pairs(const Pairs& pairs, const PointRow<Affine>& sums, decltype(Affine::x)* prefixes, std::uint32_t pair_count,
                             std::uint32_t pairs_a_thread, DeviceField<Parameters>* shared) {
    using Field = decltype(Affine::x);
    using Name = typename Pairs::PairName;
    constexpr std::uint32_t stride = pair_block_size;
    const std::uint32_t block_first = block_index() * pairs_a_thread * stride;
    if (block_first >= pair_count) return;
    const std::uint32_t block_last =
        (pair_count - block_first < pairs_a_thread * stride ? pair_count : block_first + pairs_a_thread * stride) - 1;
    const std::uint32_t first = block_first + thread_index();
    const auto clamped = [block_last](std::uint32_t pair) { return pair < block_last ? pair : block_last; };

    // A warp's lanes stay together, also those whose pairs have run out, since they read together.
    const std::uint32_t turns = (block_last - block_first) / stride + 1;

    Field product = Field::one();
    Name name = pairs.name(clamped(first));
    Name next_name = pairs.name(clamped(first + stride));
    TwoFields<Field> x = pairs.x(name, pairs.ask_x(name));
#pragma unroll 1
    for (std::uint32_t turn = 0; turn < turns; ++turn) {
        const std::uint32_t pair = first + turn * stride;
        const Name later_name = pairs.name(clamped(pair + 2 * stride));
        const typename Pairs::AskedX next_x = pairs.ask_x(next_name);
        if (pair <= block_last) {
            prefixes[pair] = product;
            Field denominator = x.right - x.left;
            if (may_be_special(x, denominator)) {
                const TwoPoints<Affine> points = pairs.own_points(name);
                denominator = Slope<Affine>::denominator_of(classify(points), points);
            }
            product = product * denominator;
        }
        name = next_name;
        next_name = later_name;
        x = pairs.x(name, next_x);
    }

    product = product.reduced_once();
    invert_over_block(reinterpret_cast<DeviceField<Parameters>&>(product), shared);

    const auto turn_name = [&](std::uint32_t turn) { return pairs.name(clamped(first + turn * stride)); };
    name = turn_name(turns - 1);
    next_name = turn_name(turns >= 2 ? turns - 2 : 0);
#pragma unroll 1
    for (std::uint32_t turn = turns; turn-- > 0;) {
        const std::uint32_t pair = first + turn * stride;
        const Name later_name = turn_name(turn >= 2 ? turn - 2 : 0);
        if (turn > 0) prefetch(&prefixes[pair - stride]);
        const TwoPoints<Affine> points = pairs.points(name);
        if (pair <= block_last) {
            const auto slope = Slope<Affine>::of(points);
            const Field inverse = product * prefixes[pair];
            product = product * slope.denominator;
            sums.store(pair, slope.apply(points, inverse));
        }
        name = next_name;
        next_name = later_name;
    }
}

}  // namespace cupool::device
