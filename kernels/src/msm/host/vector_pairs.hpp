#pragma once

#include "field/vector_field.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

#include <span>
#include <vector>

#include "curve/host_curve.hpp"
#include "support/uninitialized_array.hpp"

namespace cupool::detail {

/// An affine point for vectors to load: its coordinates in a VectorField's form, below 1.1 p. Infinity is exactly (0, 0).
struct alignas(64) PointRow {
    VectorLimbs x;
    VectorLimbs y;
};

/// A point that lies elsewhere, or its negative.
class SignedRow {
public:
    SignedRow() = default;
    SignedRow(const PointRow& row, bool is_negative) : bits_(reinterpret_cast<std::uintptr_t>(&row) | (is_negative ? 1 : 0)) {}

    const PointRow& row() const { return *reinterpret_cast<const PointRow*>(bits_ & ~std::uintptr_t{1}); }
    bool is_negative() const { return (bits_ & 1) != 0; }

private:
    std::uintptr_t bits_;  // rows are aligned: their addresses' lowest bit is free
};

struct RowPair {
    SignedRow left;
    SignedRow right;
};

/// Adds points pair by pair in affine coordinates, eight pairs side by side, many of them sharing one inversion (Montgomery's trick). Any
/// points: vectors with infinite, equal or opposite points among their lanes are rare and done with masks.
template <class Parameters>
class VectorPairs {
public:
    explicit VectorPairs(std::size_t max_pairs) : steps_((std::min(max_pairs, pairs_of_an_inversion) + vector_lanes - 1) / vector_lanes) {}

    /// sums[i] = the sum of pairs[i]. Compiled once, in vector_pairs.cpp.
    CUPOOL_VECTOR void add(std::span<const RowPair> pairs, std::span<PointRow> sums);

private:
    using Vector = VectorField<Parameters>;
    using LaneMask = typename Vector::LaneMask;

    /// So many that an inversion weighs little, and so few that the second-level cache holds them with their points.
    static constexpr std::size_t pairs_of_an_inversion = 2048;

    /// The products of denominators are made in several strands, which a core works on at once.
    static constexpr std::size_t strands = 2;

    /// Vectors whose points are fetched ahead of their turn.
    static constexpr std::size_t vectors_ahead = 4;

    /// A vector of pairs between the two passes.
    struct Step {
        Vector left_x;
        Vector denominator;     // right x - left x + 2 p where the mask has no bit
        Vector product_before;  // of the denominators of the strand's earlier steps
        LaneMask exceptional;   // the pairs that are not of two finite points with different x
    };

    /// One side of eight pairs.
    struct Side {
        const std::uint64_t* x[vector_lanes];
        const std::uint64_t* y[vector_lanes];
        LaneMask negative = 0;

        void set(std::size_t lane, SignedRow point) {
            x[lane] = point.row().x.data();
            y[lane] = point.row().y.data();
            negative = static_cast<LaneMask>(negative | (point.is_negative() ? 1u << lane : 0u));
        }

        /// The y coordinates with their signs, between -1.1 p and 1.1 p, as sums of limbs.
        CUPOOL_VECTOR_INLINE Vector signed_y() const { return Vector::load(y).negated_where(negative); }

        CUPOOL_VECTOR LaneMask infinite() const {
            return static_cast<LaneMask>(Vector::load(x).is_exactly_zero() & Vector::load(y).is_exactly_zero());
        }
    };

    struct Sides {
        Side left;
        Side right;

        /// Of eight pairs from `first` on; where there are fewer, of the last one again.
        Sides(std::span<const RowPair> pairs, std::size_t first) {
            for (std::size_t lane = 0; lane < vector_lanes; ++lane) {
                const RowPair& pair = pairs[std::min(first + lane, pairs.size() - 1)];
                left.set(lane, pair.left);
                right.set(lane, pair.right);
            }
        }
    };

    /// What kinds of pairs there are beside those of two finite points with different x.
    struct Exceptions {
        LaneMask left_infinite;
        LaneMask right_infinite;
        LaneMask equal;     // finite
        LaneMask opposite;  // finite; a point of order two is opposite to itself

        CUPOOL_VECTOR explicit Exceptions(const Sides& sides) {
            left_infinite = sides.left.infinite();
            right_infinite = sides.right.infinite();
            const auto finite = static_cast<LaneMask>(~(left_infinite | right_infinite));
            const Vector difference = Vector::load(sides.right.x).minus(Vector::load(sides.left.x)).template plus_moduli<2>();
            const auto same_x = static_cast<LaneMask>(difference.normalized().is_zero() & finite);
            opposite = static_cast<LaneMask>(tangent_denominator(sides).is_zero() & same_x);
            equal = static_cast<LaneMask>(same_x & ~opposite);
        }

        LaneMask any() const { return static_cast<LaneMask>(left_infinite | right_infinite | equal | opposite); }
    };

    /// 2y where the points are equal, 0 where they are opposite or of order two.
    CUPOOL_VECTOR_INLINE static Vector tangent_denominator(const Sides& sides) {
        return sides.left.signed_y().plus(sides.right.signed_y()).template plus_moduli<3>().normalized();
    }

    CUPOOL_VECTOR void add_sharing_an_inversion(std::span<const RowPair> pairs, std::span<PointRow> sums) {
        const std::size_t step_count = (pairs.size() + vector_lanes - 1) / vector_lanes;
        Vector products[strands] = {Vector::one(), Vector::one()};
        for (std::size_t i = 0; i < step_count; ++i) {
            prefetch(pairs, (i + vectors_ahead) * vector_lanes);
            prepare(steps_[i], Sides(pairs, i * vector_lanes), products[i % strands]);
        }
        const Vector inverse = Vector::product(products[0], products[1]).inverse();
        Vector inverses[strands] = {Vector::product(inverse, products[1]), Vector::product(inverse, products[0])};
        for (std::size_t i = step_count; i-- > 0;) {
            finish(steps_[i], Sides(pairs, i * vector_lanes), inverses[i % strands], sums.subspan(i * vector_lanes));
        }
    }

    CUPOOL_VECTOR_INLINE static void prefetch(std::span<const RowPair> pairs, std::size_t first) {
        for (std::size_t i = first; i < std::min(first + vector_lanes, pairs.size()); ++i) {
            for (const PointRow* row : {&pairs[i].left.row(), &pairs[i].right.row()}) {
                _mm_prefetch(reinterpret_cast<const char*>(&row->x), _MM_HINT_T0);
                _mm_prefetch(reinterpret_cast<const char*>(&row->y), _MM_HINT_T1);
            }
        }
    }

    /// What eight additions divide by.
    CUPOOL_VECTOR_INLINE static void prepare(Step& step, const Sides& sides, Vector& product) {
        step.left_x = Vector::load(sides.left.x);
        const Vector right_x = Vector::load(sides.right.x);
        step.denominator = right_x.minus(step.left_x).template plus_moduli<2>().normalized();
        step.exceptional =
            static_cast<LaneMask>(step.denominator.may_be_zero() | step.left_x.may_be_exactly_zero() | right_x.may_be_exactly_zero());
        if (__builtin_expect(step.exceptional != 0, 0)) prepare_exceptions(step, sides);
        step.product_before = product;
        product = Vector::product(product, step.denominator);
    }

    /// Where an addition divides by nothing, or by zero, one stands in, so that the product of all can be inverted.
    CUPOOL_VECTOR [[gnu::noinline]] static void prepare_exceptions(Step& step, const Sides& sides) {
        const Exceptions exceptions(sides);
        step.exceptional = exceptions.any();
        step.denominator = step.denominator.with(step.exceptional, Vector::one()).with(exceptions.equal, tangent_denominator(sides));
    }

    /// The affine addition that every textbook has (Guide to Elliptic Curve Cryptography, section 3.1.2).
    CUPOOL_VECTOR_INLINE static void finish(const Step& step, const Sides& sides, Vector& inverse, std::span<PointRow> sums) {
        const Vector own_inverse = Vector::product(inverse, step.product_before);
        inverse = Vector::product(inverse, step.denominator);
        if (__builtin_expect(step.exceptional != 0, 0)) return finish_with_exceptions(sides, own_inverse, sums);
        const Vector left_y = sides.left.signed_y();
        const Vector slope = Vector::product(sides.right.signed_y().minus(left_y).template plus_moduli<3>().normalized(), own_inverse);
        // left x + right x = 2 left x + denominator - 2 p
        const Vector x = slope.square().minus(step.left_x).minus(step.left_x).minus(step.denominator).template plus_moduli<6>().reduced();
        const Vector y = y_of_sum(slope, step.left_x, x, left_y);
        store(x, y, sums);
    }

    CUPOOL_VECTOR_INLINE static Vector y_of_sum(const Vector& slope, const Vector& left_x, const Vector& x, const Vector& left_y) {
        const Vector step_back = left_x.minus(x).template plus_moduli<2>().normalized();
        return Vector::product(slope, step_back).minus(left_y).template plus_moduli<2>().reduced();
    }

    CUPOOL_VECTOR [[gnu::noinline]] static void finish_with_exceptions(const Sides& sides, const Vector& own_inverse,
                                                                       std::span<PointRow> sums) {
        const Exceptions exceptions(sides);
        const Vector left_x = Vector::load(sides.left.x);
        const Vector right_x = Vector::load(sides.right.x);
        const Vector left_y = sides.left.signed_y();
        const Vector right_y = sides.right.signed_y();
        const Vector x_squared = left_x.square();
        const Vector numerator =
            right_y.minus(left_y).template plus_moduli<3>().with(exceptions.equal, x_squared.plus(x_squared).plus(x_squared));
        const Vector slope = Vector::product(numerator.normalized(), own_inverse);
        const Vector sum_x = slope.square().minus(left_x).minus(right_x).template plus_moduli<3>().reduced();
        const Vector sum_y = y_of_sum(slope, left_x, sum_x, left_y);

        const auto zero = static_cast<LaneMask>((exceptions.left_infinite & exceptions.right_infinite) | exceptions.opposite);
        const Vector x = sum_x.with(exceptions.left_infinite, right_x).with(exceptions.right_infinite, left_x).with(zero, Vector::zero());
        const Vector y = sum_y.with(exceptions.left_infinite, right_y.template plus_moduli<2>().reduced())
                             .with(exceptions.right_infinite, left_y.template plus_moduli<2>().reduced())
                             .with(zero, Vector::zero());
        store(x, y, sums);
    }

    /// To the first eight of the sums; where there are fewer, all further ones are the last one again.
    CUPOOL_VECTOR_INLINE static void store(const Vector& x, const Vector& y, std::span<PointRow> sums) {
        std::uint64_t* x_rows[vector_lanes];
        std::uint64_t* y_rows[vector_lanes];
        for (std::size_t lane = 0; lane < vector_lanes; ++lane) {
            PointRow& row = sums[std::min(lane, sums.size() - 1)];
            x_rows[lane] = row.x.data();
            y_rows[lane] = row.y.data();
        }
        x.store(x_rows);
        y.store(y_rows);
    }

    UninitializedArray<Step> steps_;
};

}  // namespace cupool::detail

#endif
