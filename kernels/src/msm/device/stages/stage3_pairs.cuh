#pragma once

/// \file
/// A batched-affine round: neighbouring points of a bucket are added in affine coordinates, which halves their number. An affine addition
/// costs 5M + 1S and an inversion; the lanes of a block share one inversion a lane among all their pairs (Montgomery, "Speeding the Pollard
/// and elliptic curve methods of factorization", Math. Comp. 48, 1987). The sort has indexed the pairs, so no thread needs to know its
/// bucket.

#include "curve/xyzz.hpp"
#include "field/device_inverse.cuh"
#include "msm/device/stages/stage2_sort.cuh"
#include "msm/device/stages/stage3_pair_gather.cuh"

namespace cupool::device {

using detail::min_pairs_a_thread;
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

/// The carried points of a row; of a row of weight splitting, those of the row that it was split from.
template <class Affine>
CUPOOL_DEVICE Affine* carried_points_of(const MsmKernelParams& params, std::uint32_t row) {
    const std::uint32_t carried_row = params.carry_over.low_bits == 0 ? row : row / 2;
    return static_cast<Affine*>(params.carry_over.points) + std::uint64_t{carried_row} * params.carry_over.max_points;
}

/// The points of slots, in the order of the slots.
template <class Affine>
class SlotPoints {
public:
    using Field = decltype(Affine::x);

    CUPOOL_DEVICE SlotPoints(const MsmKernelParams& params, std::uint32_t row)
        : slots_(params.sort.slots + std::uint64_t{row} * params.sort.slot_count),
          first_image_(params.operands.first_image),
          points_(static_cast<const Affine*>(params.operands.points)),
          images_(static_cast<const Affine*>(params.operands.images) - params.operands.first_image),
          carried_(carried_points_of<Affine>(params, row) - carried_bit) {}

    CUPOOL_DEVICE Affine operator[](std::uint32_t i) const { return point(slots_[i]); }

protected:
    /// The point of a slot; infinity if it has no term.
    CUPOOL_DEVICE Affine point(std::uint32_t slot) const {
        if (slot == no_term) return {Field::zero(), Field::zero()};
        const std::uint32_t term = slot & ~sign_bit;
        const Affine point = *point_at(term);
        return {point.x, point.y.negated_if((slot & sign_bit) != 0)};
    }

    CUPOOL_DEVICE const Affine* point_at(std::uint32_t term) const {
        return (term < first_image_ ? points_ : term < carried_bit ? images_ : carried_) + term;
    }

    const std::uint32_t* slots_;
    std::uint32_t first_image_;
    const Affine* points_;
    const Affine* images_;   ///< minus first_image_, which a term includes
    const Affine* carried_;  ///< minus carried_bit, which a term includes
};

/// Pairs of neighbouring slots. A PairIndex must be read before the points of its pair, so it is requested early. Two lanes read a point
/// together, so all lanes of a warp read at the same time. For a slot without a term any point is read.
template <class Affine>
class SlotPairs : SlotPoints<Affine> {
    using Base = SlotPoints<Affine>;
    static constexpr int field_words = sizeof(typename Base::Field) / sizeof(Vec4);
    using GatherX = PairGather<field_words>;
    using GatherPoint = PairGather<2 * field_words>;

public:
    using Field = typename Base::Field;
    struct alignas(8) PairIndex {
        std::uint32_t left;
        std::uint32_t right;
    };
    struct AskedX {
        typename GatherX::Flight left;
        typename GatherX::Flight right;
    };

    /// Shared memory of a block, in Vec4.
    static constexpr unsigned shared_words = pair_block_size / warp_size * GatherPoint::shared_words;

    CUPOOL_DEVICE SlotPairs(const MsmKernelParams& params, std::uint32_t row, Vec4* shared)
        : Base(params, row), shared_(shared + warp_index() * GatherPoint::shared_words) {}

    CUPOOL_DEVICE PairIndex index(std::uint32_t pair) const { return reinterpret_cast<const PairIndex*>(this->slots_)[pair]; }
    /// Whether a slot has no term.
    CUPOOL_DEVICE static bool lacks_points(const PairIndex& index, const TwoFields<Field>& /*x*/) {
        return index.left == no_term || index.right == no_term;
    }
    CUPOOL_DEVICE AskedX ask_x(const PairIndex& index) const {
        return {GatherX::ask(x_at(), term(index.left)), GatherX::ask(x_at(), term(index.right))};
    }
    CUPOOL_DEVICE TwoFields<Field> x(const AskedX& asked) const {
        return {received_coordinate(asked.left), received_coordinate(asked.right)};
    }
    CUPOOL_DEVICE TwoPoints<Affine> points(const PairIndex& index) const {
        const auto left = GatherPoint::ask(x_at(), term(index.left));
        const auto right = GatherPoint::ask(x_at(), term(index.right));
        return {received_point(index.left, left), received_point(index.right, right)};
    }
    /// The result of points(), with infinity for slots without a term, and y coordinates below the bound. Lanes may call it alone.
    CUPOOL_DEVICE TwoPoints<Affine> exact(const PairIndex& index, const TwoPoints<Affine>& points) const {
        return {exact(index.left, points.left), exact(index.right, points.right)};
    }
    /// The y coordinate of the left or right point, below the bound. All lanes of a warp call it together.
    CUPOOL_DEVICE Field left_y(const PairIndex& index, const PairIndex& /*next_index*/) const { return y(index.left); }
    CUPOOL_DEVICE Field right_y(const PairIndex& index) const { return y(index.right); }

private:
    /// The address of the x coordinate of a term's point; y follows.
    CUPOOL_DEVICE auto x_at() const {
        return [this](std::uint32_t term) { return reinterpret_cast<const Vec4*>(this->point_at(term)); };
    }
    CUPOOL_DEVICE static std::uint32_t term(std::uint32_t slot) { return slot == no_term ? 0 : slot & ~sign_bit; }

    CUPOOL_DEVICE static Field field_of(const Vec4* words) {
        Field field;
#pragma unroll
        for (int i = 0; i < field_words; ++i) field.set_vec4(i, words[i]);
        return field;
    }
    CUPOOL_DEVICE Field received_coordinate(const typename GatherX::Flight& flight) const {
        Vec4 record[field_words];
        GatherX::receive(flight, shared_, record);
        return field_of(record);
    }
    CUPOOL_DEVICE Affine received_point(std::uint32_t slot, const typename GatherPoint::Flight& flight) const {
        Vec4 record[2 * field_words];
        GatherPoint::receive(flight, shared_, record);
        return {field_of(record), field_of(record + field_words).negated_to_bound_if((slot & sign_bit) != 0)};
    }
    CUPOOL_DEVICE static Affine exact(std::uint32_t slot, const Affine& point) {
        if (slot == no_term) return {Field::zero(), Field::zero()};
        return {point.x, point.y.below_bound()};
    }
    CUPOOL_DEVICE Field y(std::uint32_t slot) const {
        const auto y_at = [this](std::uint32_t term) { return x_at()(term) + field_words; };
        const auto asked = GatherX::ask(y_at, term(slot));
        return received_coordinate(asked).negated_to_bound_if((slot & sign_bit) != 0).below_bound();
    }

    Vec4* shared_;
};

/// Where a round writes its sums: a row for the next round, or carried points, whose coordinates are side by side.
template <class Affine>
class SumPlaces {
public:
    using Field = decltype(Affine::x);

    CUPOOL_DEVICE static SumPlaces in_row(void* coordinates, std::uint32_t size) {
        Field* const x = static_cast<Field*>(coordinates);
        return {x, x + size, 1};
    }
    CUPOOL_DEVICE static SumPlaces carried(Affine* points) { return {&points->x, &points->y, 2}; }

    CUPOOL_DEVICE void store(std::uint32_t i, const Affine& point) const {
        const bool hides_zero = point.x.lowest_limb() == 0 && point.x.is_plain_zero() && !point.y.is_plain_zero();
        x_[i * stride_] = hides_zero ? Field::zero_as_modulus() : point.x;
        y_[i * stride_] = point.y;
    }

private:
    CUPOOL_DEVICE SumPlaces(Field* x, Field* y, std::uint32_t stride) : x_(x), y_(y), stride_(stride) {}

    Field* x_;
    Field* y_;
    std::uint32_t stride_;  ///< from x to the next x
};

/// A row of points that a round writes for the next one: all x coordinates, then all y coordinates, since half of the reads need x alone.
/// Infinity shows in x alone: no other point has a plain zero there.
template <class Affine>
class PointRow {
public:
    using Field = decltype(Affine::x);

    CUPOOL_DEVICE PointRow(void* coordinates, std::uint32_t size) : x_(static_cast<Field*>(coordinates)), y_(x_ + size) {}

    CUPOOL_DEVICE Affine operator[](std::uint32_t i) const { return {x_[i], y_[i]}; }

protected:
    Field* x_;
    Field* y_;
};

/// Pairs of points of a row, as index_pairs has indexed them.
template <class Affine>
class RowPairs : PointRow<Affine> {
public:
    using Field = decltype(Affine::x);
    using PairIndex = std::uint32_t;
    using AskedX = TwoFields<Field>;

    CUPOOL_DEVICE RowPairs(const PointRow<Affine>& points, const std::uint32_t* indices) : PointRow<Affine>(points), indices_(indices) {}

    CUPOOL_DEVICE PairIndex index(std::uint32_t pair) const { return indices_[pair]; }
    /// Whether a point is infinity or missing.
    CUPOOL_DEVICE static bool lacks_points(PairIndex index, const TwoFields<Field>& x) {
        return is_unpaired(index) || (x.left.lowest_limb() == 0 && x.left.is_plain_zero()) ||
               (x.right.lowest_limb() == 0 && x.right.is_plain_zero());
    }
    /// If there is no right point, this reads the next bucket's first one, or what lies behind the last one.
    CUPOOL_DEVICE AskedX ask_x(PairIndex index) const { return {this->x_[left(index)], this->x_[left(index) + 1]}; }
    CUPOOL_DEVICE TwoFields<Field> x(const AskedX& asked) const { return asked; }
    CUPOOL_DEVICE TwoPoints<Affine> points(PairIndex index) const { return {(*this)[left(index)], (*this)[left(index) + 1]}; }
    /// The result of points(), with infinity if there is no right point.
    CUPOOL_DEVICE TwoPoints<Affine> exact(PairIndex index, const TwoPoints<Affine>& points) const {
        return {points.left, is_unpaired(index) ? Affine{Field::zero(), Field::zero()} : points.right};
    }
    /// \param next_index  the pair after one that needs y coordinates often needs them, too
    CUPOOL_DEVICE Field left_y(PairIndex index, PairIndex next_index) const {
        prefetch(&this->y_[left(next_index)]);
        return this->y_[left(index)];
    }
    CUPOOL_DEVICE Field right_y(PairIndex index) const { return this->y_[left(index) + 1]; }

private:
    CUPOOL_DEVICE static bool is_unpaired(PairIndex index) { return (index & unpaired_bit) != 0; }
    CUPOOL_DEVICE static std::uint32_t left(PairIndex index) { return index & ~unpaired_bit; }

    const std::uint32_t* indices_;
};

/// How two points are added: by the slope of a line, or without one. Opposite points have the denominator of a tangent, so that the first
/// pass, which needs denominators alone, need not tell them from equal ones.
enum class PairSum { chord, tangent, opposite, known };

/// Infinity is always written as (0, 0), never with a modulus for a zero.
template <class Affine>
CUPOOL_DEVICE bool is_infinity(const Affine& point) {
    return point.x.is_plain_zero() && point.y.is_plain_zero();
}

/// How two points are added, where opposite points count as equal. \param points  y of the right one matters only if its x is a plain zero
/// \param x_difference  right minus left
template <class Affine>
CUPOOL_DEVICE PairSum classify(const TwoPoints<Affine>& points, const decltype(Affine::x)& x_difference) {
    if (is_infinity(points.left) || is_infinity(points.right)) return PairSum::known;
    if (!x_difference.is_zero()) return PairSum::chord;
    return points.left.y.is_zero() ? PairSum::known : PairSum::tangent;
}

/// The sum of two points if one is infinity or they are opposite.
template <class Affine>
CUPOOL_DEVICE Affine known_sum(const TwoPoints<Affine>& points) {
    using Field = decltype(Affine::x);
    if (is_infinity(points.left)) return points.right;
    return is_infinity(points.right) ? points.left : Affine{Field::zero(), Field::zero()};
}

/// Whether a point may be infinity, judged by the lowest limb of x.
template <class Field>
CUPOOL_DEVICE bool may_be_infinite(const TwoFields<Field>& x) {
    return x.left.lowest_limb() == 0 || x.right.lowest_limb() == 0;
}

/// Whether two points may be other than distinct points with different x, judged by lowest limbs. A false alarm costs only time, and next
/// to never happens. \param difference  a rough one
template <class Field>
CUPOOL_DEVICE bool may_be_special(const TwoFields<Field>& x, const Field& difference) {
    return difference.may_be_rough_zero() || may_be_infinite(x);
}

/// The slope of the line that adds two points, if there is one, as a fraction.
template <class Affine>
struct Slope {
    using Field = decltype(Affine::x);

    PairSum sum;
    Field numerator;
    Field denominator;

    /// For two distinct points with different x.
    CUPOOL_DEVICE static Slope of_chord(const TwoPoints<Affine>& points) {
        return {PairSum::chord, Field::rough_difference(points.right.y, points.left.y),
                Field::rough_difference(points.right.x, points.left.x)};
    }
    CUPOOL_DEVICE static Slope of_any(const TwoPoints<Affine>& points) {
        Slope slope{PairSum::chord, points.right.y - points.left.y, points.right.x - points.left.x};
        slope.sum = classify(points, slope.denominator);
        if (slope.sum != PairSum::tangent) return slope;
        slope.denominator = points.left.y.doubled();
        if (slope.numerator.is_zero()) {
            const Field x_squared = points.left.x.square();
            slope.numerator = x_squared.doubled() + x_squared;
        } else {
            slope.sum = PairSum::opposite;
        }
        return slope;
    }

    /// The sum, given the inverse of the denominator.
    CUPOOL_DEVICE Affine apply(const TwoPoints<Affine>& points, const Field& inverse) const {
        const Field slope = numerator * inverse;
        const Field x = slope.square() - points.left.x - points.right.x;
        return {x, slope * Field::rough_difference(points.left.x, x) - points.left.y};
    }
};

/// Replaces the value of each thread by its inverse. No value is zero. The first warp inverts for the whole block. `shared` has one element
/// a thread.
template <class Field>
CUPOOL_DEVICE void invert_over_block(Field& value, Field* shared) {
    constexpr int warps = pair_block_size / warp_size;
    shared[thread_index()] = value;
    block_barrier();
    if (thread_index() < warp_size) {
        Field* const column = shared + thread_index();
        Field products[warps];  // products[i] is that of the first i + 1 values of the column
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

/// sums[i] = the sum of pair i for all i below pair_count, and sums[pair_count] = infinity. Blocks along x take equally many neighbouring
/// pairs.
///
/// The first pass requests the operands of the next pair before it works on its own, since one product is too short to hide a memory read.
template <class BaseField, class Affine, class Pairs>
CUPOOL_DEVICE void add_pairs(const Pairs& pairs, const SumPlaces<Affine>& sums, decltype(Affine::x)* prefixes, std::uint32_t pair_count,
                             BaseField* shared) {
    using Field = decltype(Affine::x);
    using Index = typename Pairs::PairIndex;
    constexpr std::uint32_t stride = pair_block_size;
    const std::uint32_t even_pairs = (pair_count + grid_size() * stride - 1) / (grid_size() * stride);
    const std::uint32_t block_pairs = (even_pairs > min_pairs_a_thread ? even_pairs : min_pairs_a_thread) * stride;
    const std::uint32_t block_first = block_index() * block_pairs;
    if (block_first >= pair_count) return;
    const std::uint32_t block_last = (pair_count - block_first < block_pairs ? pair_count : block_first + block_pairs) - 1;
    const std::uint32_t first = block_first + thread_index();
    if (first == 0) sums.store(pair_count, {Field::zero(), Field::zero()});
    const auto clamped = [block_last](std::uint32_t pair) { return pair < block_last ? pair : block_last; };

    // The lanes of a warp stay together, even those without further pairs, since they read together.
    const std::uint32_t turns = (block_last - block_first) / stride + 1;

    Field product = Field::one();
    Index index = pairs.index(clamped(first));
    Index next_index = pairs.index(clamped(first + stride));
    Index third_index = pairs.index(clamped(first + 2 * stride));
    TwoFields<Field> x = pairs.x(pairs.ask_x(index));
#pragma unroll 1
    for (std::uint32_t turn = 0; turn < turns; ++turn) {
        const std::uint32_t pair = first + turn * stride;
        const Index later_index = pairs.index(clamped(pair + 3 * stride));
        const typename Pairs::AskedX next_x = pairs.ask_x(next_index);
        Field denominator = Field::rough_difference(x.right, x.left);
        bool has_slope = pair <= block_last && !Pairs::lacks_points(index, x);
        const bool is_special = has_slope && may_be_special(x, denominator);
        if (any_lane(is_special)) {
            TwoPoints<Affine> points{{x.left, pairs.left_y(index, next_index)}, {x.right, Field::zero()}};
            if (any_lane(is_special && may_be_infinite(x))) points.right.y = pairs.right_y(index);
            if (is_special) {
                denominator = points.right.x - points.left.x;
                const PairSum sum = classify(points, denominator);
                if (sum == PairSum::tangent) denominator = points.left.y.doubled();
                has_slope = sum != PairSum::known;
            }
        }
        if (has_slope) {
            prefixes[pair] = product;
            product = product * denominator;
        }
        index = next_index;
        next_index = third_index;
        third_index = later_index;
        x = pairs.x(next_x);
    }

    product = product.reduced_once();
    invert_over_block(reinterpret_cast<BaseField&>(product), shared);

    const auto index_of_turn = [&](std::uint32_t turn) { return pairs.index(clamped(first + turn * stride)); };
    index = index_of_turn(turns - 1);
    next_index = index_of_turn(turns >= 2 ? turns - 2 : 0);
#pragma unroll 1
    for (std::uint32_t turn = turns; turn-- > 0;) {
        const std::uint32_t pair = first + turn * stride;
        const Index later_index = index_of_turn(turn >= 2 ? turn - 2 : 0);
        if (turn > 0) prefetch(&prefixes[pair - stride]);
        TwoPoints<Affine> points = pairs.points(index);
        if (pair <= block_last) {
            auto slope = Slope<Affine>::of_chord(points);
            const TwoFields<Field> both_x{points.left.x, points.right.x};
            if (Pairs::lacks_points(index, both_x)) {
                points = pairs.exact(index, points);
                slope.sum = PairSum::known;
            } else if (may_be_special(both_x, slope.denominator)) {
                points = pairs.exact(index, points);
                slope = Slope<Affine>::of_any(points);
            }
            Field inverse;
            if (slope.sum != PairSum::known) {
                inverse = product * prefixes[pair];
                product = product * slope.denominator;
            }
            if (slope.sum == PairSum::chord || slope.sum == PairSum::tangent) {
                sums.store(pair, slope.apply(points, inverse));
            } else {
                sums.store(pair, known_sum(points));
            }
        }
        index = next_index;
        next_index = later_index;
    }
}

}  // namespace cupool::device
