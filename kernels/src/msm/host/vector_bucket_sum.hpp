#pragma once

#include "msm/host/vector_pairs.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

#include <list>

#include "msm/host/bucket_terms.hpp"

namespace cupool::detail {

/// As BucketSum: sums points weighted by small numbers, the points of a bucket pair by pair first, but eight pairs side by side; and weighs
/// the buckets' sums by the same means.
template <class Parameters>
class VectorBucketSum {
public:
    using Field = HostField<Parameters>;

    /// Buckets come in rising order of weights, none of which is zero; every bucket has a term. `table` must outlive this.
    VectorBucketSum(std::span<const PointRow> table, std::span<const Bucket> buckets, std::span<const Term> terms)
        : pairs_adder_(terms.size()), buckets_(buckets.begin(), buckets.end()) {
        points_.reserve(terms.size());
        for (const Term term : terms) points_.emplace_back(table[term.index], term.is_negative != 0);
    }

    /// The sum of weight * point over all. To be asked for once.
    Xyzz<Field> total() {
        add_pairs_in_rounds();
        if (buckets_.empty()) return Xyzz<Field>::infinity();
        const unsigned low_bits = bit_length(Limbs<1>{{buckets_.back().weight - buckets_.front().weight + 1u}}) / 2;
        if (buckets_.size() >> low_bits < 4) return weighted_sum(buckets_, points_);

        const std::size_t high_count = split(low_bits);
        add_pairs_in_rounds();
        const auto high = std::span(buckets_).first(high_count);
        std::size_t high_points = 0;
        for (const Bucket& bucket : high) high_points += bucket.size;
        Xyzz<Field> total = multiply(weighted_sum(high, std::span(points_).first(high_points)), std::uint64_t{1} << low_bits);
        total += weighted_sum(std::span(buckets_).subspan(high_count), std::span(points_).subspan(high_points));
        return total;
    }

private:
    /// An inversion costs about as much as this many pairs save.
    static constexpr std::size_t fewest_pairs_of_a_round = 32;

    std::size_t pair_count() const {
        std::size_t count = 0;
        for (const Bucket& bucket : buckets_) count += bucket.size / 2;
        return count;
    }

    void add_pairs_in_rounds() {
        for (std::size_t pairs = pair_count(); pairs >= fewest_pairs_of_a_round; pairs = pair_count()) add_pairs(pairs);
    }

    /// Halves every bucket: a round of additions.
    void add_pairs(std::size_t pair_count) {
        const std::span<PointRow> sums = sums_.emplace_back(pair_count).span();
        pairs_.clear();
        pairs_.reserve(pair_count);
        const SignedRow* next = points_.data();
        SignedRow* kept = points_.data();
        for (Bucket& bucket : buckets_) {
            for (std::uint32_t i = 0; i + 1 < bucket.size; i += 2) {
                pairs_.push_back({next[i], next[i + 1]});
                *kept++ = SignedRow(sums[pairs_.size() - 1], false);
            }
            if (bucket.size % 2 != 0) *kept++ = next[bucket.size - 1];
            next += bucket.size;
            bucket.size = bucket.size / 2 + bucket.size % 2;
        }
        points_.resize(static_cast<std::size_t>(kept - points_.data()));
        pairs_adder_.add(pairs_, sums);
    }

    /// Replaces the buckets by those of their weights' high parts, and behind them those of their low parts: weight = high 2^low_bits +
    /// low. \return how many of high parts there are
    std::size_t split(unsigned low_bits) {
        const std::vector<Bucket> buckets = std::move(buckets_);
        const std::vector<SignedRow> points = std::move(points_);
        const std::uint32_t low_mask = (1u << low_bits) - 1;

        buckets_.clear();
        std::vector<std::uint32_t> sizes(std::size_t{low_mask} + 1);
        for (const Bucket& bucket : buckets) {
            const std::uint32_t high = bucket.weight >> low_bits;
            if (buckets_.empty() || buckets_.back().weight != high) buckets_.push_back({high, 0});
            buckets_.back().size += bucket.size;
            sizes[bucket.weight & low_mask] += bucket.size;
        }
        const std::size_t high_count = buckets_.size();
        std::vector<std::size_t> cursors;
        std::size_t position = points.size();
        for (std::uint32_t low = 0; low <= low_mask; ++low) {
            cursors.push_back(position);
            if (sizes[low] == 0) continue;
            buckets_.push_back({low, sizes[low]});
            position += sizes[low];
        }
        points_ = points;
        points_.resize(position);
        const SignedRow* next = points.data();
        for (const Bucket& bucket : buckets) {
            std::size_t& cursor = cursors[bucket.weight & low_mask];
            for (std::uint32_t i = 0; i < bucket.size; ++i) points_[cursor++] = *next++;
        }
        return high_count;
    }

    /// From the highest weight down: the sum of the buckets so far counts once for each step to the next lower weight.
    static Xyzz<Field> weighted_sum(std::span<const Bucket> buckets, std::span<const SignedRow> points) {
        Xyzz<Field> total = Xyzz<Field>::infinity();
        Xyzz<Field> above = Xyzz<Field>::infinity();
        const SignedRow* end = points.data() + points.size();
        for (std::size_t b = buckets.size(); b-- > 0;) {
            for (std::uint32_t i = 0; i < buckets[b].size; ++i) above += to_point(*--end);
            const std::uint32_t step = buckets[b].weight - (b > 0 ? buckets[b - 1].weight : 0);
            total += multiply(above, step);
        }
        return total;
    }

    static Affine<Field> to_point(SignedRow point) {
        const Affine<Field> affine{VectorField<Parameters>::to_element(point.row().x), VectorField<Parameters>::to_element(point.row().y)};
        return point.is_negative() ? affine.negated() : affine;
    }

    VectorPairs<Parameters> pairs_adder_;
    std::vector<Bucket> buckets_;
    std::vector<SignedRow> points_;  // bucket by bucket
    std::vector<RowPair> pairs_;
    std::list<UninitializedArray<PointRow>> sums_;  // those of each round
};

}  // namespace cupool::detail

#endif
