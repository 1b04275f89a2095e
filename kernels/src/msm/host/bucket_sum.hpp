#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "curve/host_curve.hpp"
#include "msm/host/bucket_terms.hpp"

namespace cupool::detail {

/// Sums points weighted by small numbers: the points that share a weight (a bucket) are added up first, pair by pair in affine coordinates,
/// all pairs of a round sharing one inversion (5M + 1S an addition and a share of the inversion, against 8M + 2S in XYZZ coordinates).
template <class Field>
class BucketSum {
public:
    explicit BucketSum(std::size_t expected_points) {
        points_.reserve(expected_points);
        denominators_.resize(expected_points / 2);
        scratch_.resize(expected_points / 2);
    }

    /// Begins the next bucket. Weights come in rising order and are not zero; every bucket gets a point.
    void begin_bucket(std::uint32_t weight) { buckets_.push_back({weight, 0}); }

    /// Adds a point to the bucket begun last.
    void add(const Affine<Field>& point) {
        points_.push_back(point);
        ++buckets_.back().size;
    }

    /// The sum of weight * point over all. To be asked for once.
    Xyzz<Field> total() {
        while (pair_count() >= fewest_pairs_of_a_round) add_pairs();
        return weighted_sum();
    }

private:
    /// An inversion costs about as much as this many pairs save.
    static constexpr std::size_t fewest_pairs_of_a_round = 64;

    std::size_t pair_count() const {
        std::size_t count = 0;
        for (const Bucket& bucket : buckets_) count += bucket.size / 2;
        return count;
    }

    /// What an addition divides by. Where it divides by nothing (or by zero), one stands in, so that the product of all can be inverted.
    static Field denominator(const Affine<Field>& left, const Affine<Field>& right) {
        const Field difference = right.x - left.x;
        if (difference.is_zero()) {
            const Field tangent = left.y + right.y;  // 2y where the points are equal, 0 where they are opposite or of order two
            return tangent.is_zero() ? Field::one() : tangent;
        }
        return left.is_infinity() || right.is_infinity() ? Field::one() : difference;
    }

    /// The affine addition and doubling that every textbook has (Guide to Elliptic Curve Cryptography, section 3.1.2).
    static Affine<Field> sum(const Affine<Field>& left, const Affine<Field>& right, const Field& denominator_inverse) {
        if (left.is_infinity()) return right;
        if (right.is_infinity()) return left;
        Field slope;
        if (left.x == right.x) {
            if ((left.y + right.y).is_zero()) return {Field::zero(), Field::zero()};
            const Field x_squared = left.x.square();
            slope = (x_squared.doubled() + x_squared) * denominator_inverse;
        } else {
            slope = (right.y - left.y) * denominator_inverse;
        }
        const Field x = slope.square() - left.x - right.x;
        return {x, slope * (left.x - x) - left.y};
    }

    /// Halves every bucket: a round of additions.
    void add_pairs() {
        std::size_t pairs = 0;
        const Affine<Field>* next = points_.data();
        for (const Bucket& bucket : buckets_) {
            for (std::uint32_t i = 0; i + 1 < bucket.size; i += 2) denominators_[pairs++] = denominator(next[i], next[i + 1]);
            next += bucket.size;
        }
        invert_all(std::span(denominators_).first(pairs), std::span(scratch_).first(pairs));

        next = points_.data();
        Affine<Field>* kept = points_.data();
        const Field* inverse = denominators_.data();
        for (Bucket& bucket : buckets_) {
            for (std::uint32_t i = 0; i + 1 < bucket.size; i += 2) *kept++ = sum(next[i], next[i + 1], *inverse++);
            if (bucket.size % 2 != 0) *kept++ = next[bucket.size - 1];
            next += bucket.size;
            bucket.size = bucket.size / 2 + bucket.size % 2;
        }
        points_.resize(static_cast<std::size_t>(kept - points_.data()));
    }

    /// From the highest weight down: the sum of the buckets so far counts once for each step to the next lower weight.
    Xyzz<Field> weighted_sum() const {
        Xyzz<Field> total = Xyzz<Field>::infinity();
        Xyzz<Field> above = Xyzz<Field>::infinity();
        const Affine<Field>* end = points_.data() + points_.size();
        for (std::size_t b = buckets_.size(); b-- > 0;) {
            for (std::uint32_t i = 0; i < buckets_[b].size; ++i) above += *--end;
            const std::uint32_t step = buckets_[b].weight - (b > 0 ? buckets_[b - 1].weight : 0);
            total += multiply(above, step);
        }
        return total;
    }

    std::vector<Bucket> buckets_;
    std::vector<Affine<Field>> points_;  // bucket by bucket
    std::vector<Field> denominators_;
    std::vector<Field> scratch_;
};

}  // namespace cupool::detail
