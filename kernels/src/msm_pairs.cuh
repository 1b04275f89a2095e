#pragma once

/// \file
/// A round of pairwise addition: neighbouring points of a bucket are added in affine coordinates, which halves their number. An affine
/// addition costs 5M + 1S and an inversion; a block shares one inversion a lane among all its pairs (Montgomery, "Speeding the Pollard and
/// elliptic curve methods of factorization", Math. Comp. 48, 1987). Every bucket has a multiple of 2^rounds slots, so that pairs never
/// straddle two buckets and no thread needs to know which it works on.

#include "device_inverse.cuh"
#include "msm_sort.cuh"
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

/// Points that slots name, in the slots' order. A PairName is what must be read before a pair's points can be: it is asked for early.
template <class Affine>
class SlotPoints {
public:
    using Field = decltype(Affine::x);
    struct alignas(8) PairName {
        std::uint32_t left;
        std::uint32_t right;
    };

    CUPOOL_DEVICE SlotPoints(const MsmPlan& plan, std::uint32_t row)
        : slots_(plan.slots + std::uint64_t{row} * plan.slot_count), points_(static_cast<const Affine*>(plan.points)) {}

    CUPOOL_DEVICE Affine operator[](std::uint32_t i) const { return point(slots_[i]); }
    CUPOOL_DEVICE PairName name(std::uint32_t pair) const { return reinterpret_cast<const PairName*>(slots_)[pair]; }
    CUPOOL_DEVICE TwoFields<Field> x(const PairName& name) const { return {x(name.left), x(name.right)}; }
    CUPOOL_DEVICE TwoPoints<Affine> points(const PairName& name) const { return {point(name.left), point(name.right)}; }

private:
    /// The point a slot names; infinity where it names none.
    CUPOOL_DEVICE Affine point(std::uint32_t slot) const {
        if (slot == no_term) return {Field::zero(), Field::zero()};
        const Affine point = points_[slot & ~sign_bit];
        return {point.x, point.y.negated_if((slot & sign_bit) != 0)};
    }
    /// Its x coordinate; zero where it names none.
    CUPOOL_DEVICE Field x(std::uint32_t slot) const { return slot == no_term ? Field::zero() : points_[slot & ~sign_bit].x; }

    const std::uint32_t* slots_;
    const Affine* points_;
};

/// A row of points that a round writes and the next one reads: all x coordinates, then all y coordinates, since half of the reads want x
/// alone.
template <class Affine>
class PointRow {
public:
    using Field = decltype(Affine::x);
    using PairName = std::uint32_t;

    CUPOOL_DEVICE PointRow(void* coordinates, std::uint32_t size) : x_(static_cast<Field*>(coordinates)), y_(x_ + size) {}

    CUPOOL_DEVICE Affine operator[](std::uint32_t i) const { return {x_[i], y_[i]}; }
    CUPOOL_DEVICE PairName name(std::uint32_t pair) const { return pair; }
    CUPOOL_DEVICE TwoFields<Field> x(PairName pair) const { return {x_[2 * pair], x_[2 * pair + 1]}; }
    CUPOOL_DEVICE TwoPoints<Affine> points(PairName pair) const { return {(*this)[2 * pair], (*this)[2 * pair + 1]}; }
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
    return difference.may_be_zero() || x.left.lowest_limb() == 0 || x.right.lowest_limb() == 0;
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
template <class Field>
CUPOOL_DEVICE void invert_over_block(Field& value, Field* shared) {
    constexpr int warps = pair_block_size / warp_size;
    shared[thread_index()] = value;
    block_barrier();
    if (thread_index() < warp_size) {
        Field* const column = shared + thread_index();
        Field products[warps];  // products[i]: of the first i + 1 values of the column
        products[0] = column[0];
#pragma unroll
        for (int i = 1; i < warps; ++i) products[i] = products[i - 1] * column[i * warp_size];
        Field inverse = inverse_of(products[warps - 1]);
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
template <class BaseField, class Affine, class Pairs>
CUPOOL_DEVICE void add_pairs(const Pairs& pairs, const PointRow<Affine>& sums, decltype(Affine::x)* prefixes, std::uint32_t pair_count,
                             std::uint32_t pairs_a_thread, BaseField* shared) {
    using Field = decltype(Affine::x);
    using Name = typename Pairs::PairName;
    constexpr std::uint32_t stride = pair_block_size;
    const std::uint32_t block_first = block_index() * pairs_a_thread * stride;
    if (block_first >= pair_count) return;
    const std::uint32_t block_last =
        (pair_count - block_first < pairs_a_thread * stride ? pair_count : block_first + pairs_a_thread * stride) - 1;
    const std::uint32_t first = block_first + thread_index();
    const auto clamped = [block_last](std::uint32_t pair) { return pair < block_last ? pair : block_last; };

    Field product = Field::one();
    Name name = pairs.name(clamped(first));
    Name next_name = pairs.name(clamped(first + stride));
    TwoFields<Field> x = pairs.x(name);
    std::uint32_t pair = first;
#pragma unroll 1
    for (; pair <= block_last; pair += stride) {
        const Name later_name = pairs.name(clamped(pair + 2 * stride));
        const TwoFields<Field> next_x = pairs.x(next_name);
        prefixes[pair] = product;
        Field denominator = x.right - x.left;
        if (may_be_special(x, denominator)) {
            const TwoPoints<Affine> points = pairs.points(name);
            denominator = Slope<Affine>::denominator_of(classify(points), points);
        }
        product = product * denominator;
        name = next_name;
        next_name = later_name;
        x = next_x;
    }

    product = product.reduced_once();
    invert_over_block(reinterpret_cast<BaseField&>(product), shared);

    if (pair == first) return;
    pair -= stride;
    name = pairs.name(pair);
    next_name = pairs.name(pair >= first + stride ? pair - stride : pair);
#pragma unroll 1
    for (;;) {
        const bool is_last = pair == first;
        const Name later_name = pairs.name(pair >= first + 2 * stride ? pair - 2 * stride : pair);
        if (!is_last) prefetch(&prefixes[pair - stride]);
        const TwoPoints<Affine> points = pairs.points(name);
        const auto slope = Slope<Affine>::of(points);
        const Field inverse = product * prefixes[pair];
        product = product * slope.denominator;
        sums.store(pair, slope.apply(points, inverse));
        if (is_last) break;
        pair -= stride;
        name = next_name;
        next_name = later_name;
    }
}

}  // namespace cupool::device
